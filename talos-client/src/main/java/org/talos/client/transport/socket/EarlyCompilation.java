// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.LoggerFactory;
import org.talos.common.tls.CipherWarmUp;

/**
 * Makes the JVM compile TLS's encryption early, once a client turns out to need it. Programs that send little, as most
 * commands do, are better off without.
 *
 * <p>Thread-safe.
 */
final class EarlyCompilation {
    private static final long LEAST_BYTES = 256 << 10;

    private final Executor threads;
    private final AtomicLong bytes = new AtomicLong();

    /** @param threads for one task of a tenth of a second */
    EarlyCompilation(Executor threads) {
        this.threads = threads;
    }

    /** Notes that this number of bytes went over connections of TLS; none if it is negative. */
    void carried(int more) {
        long before = bytes.getAndAdd(Math.max(0, more));
        if (before < LEAST_BYTES && before + more >= LEAST_BYTES) {
            begin();
        }
    }

    private void begin() {
        try {
            threads.execute(CipherWarmUp::run);
        } catch (RuntimeException | Error e) { // no thread left: it takes longer, that is all
            LoggerFactory.getLogger(EarlyCompilation.class).debug("TLS is not compiled ahead", e);
        }
    }
}
