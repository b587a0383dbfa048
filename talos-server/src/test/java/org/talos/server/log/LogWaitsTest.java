// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.put;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Waiting for the end of a log. */
class LogWaitsTest {
    private final LogFixture fixture = new LogFixture();

    @Test
    void waiterHearsOnceWhenAMessageIsDurable() throws Exception {
        PartitionLog log = fixture.open();
        AtomicInteger woken = new AtomicInteger();
        AtomicInteger cancelled = new AtomicInteger();
        log.await(new EndWait(0, woken::incrementAndGet));
        EndWait cancel = new EndWait(0, cancelled::incrementAndGet);
        log.await(cancel);
        cancel.cancel();
        fixture.store.holdFlushes();
        append(log, put("a"));

        assertThat(woken).hasValue(0);
        fixture.store.releaseFlushes();
        assertThat(woken).hasValue(1);
        append(log, put("b"));
        assertThat(woken).hasValue(1);
        assertThat(cancelled).hasValue(0);
    }

    @Test
    void waiterHearsAtOnceOfWhatIsThereAndOfAClosedLog() throws Exception {
        PartitionLog log = fixture.open();
        AtomicInteger woken = new AtomicInteger();
        append(log, put("a"));
        log.await(new EndWait(0, woken::incrementAndGet));
        assertThat(woken).hasValue(1);

        log.await(new EndWait(1, woken::incrementAndGet));
        assertThat(woken).hasValue(1);
        log.close();
        assertThat(woken).hasValue(2);

        log.await(new EndWait(1, woken::incrementAndGet));
        assertThat(woken).hasValue(3);
    }

    @Test
    void waiterThatWaitsAgainWaitsForTheNextMessage() throws Exception {
        PartitionLog log = fixture.open();
        AtomicInteger woken = new AtomicInteger();
        log.await(new EndWait(0, () -> {
            woken.incrementAndGet();
            log.await(new EndWait(1, woken::incrementAndGet));
        }));

        append(log, put("a"));

        assertThat(woken).hasValue(1);
        append(log, put("b"));
        assertThat(woken).hasValue(2);
    }
}
