// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.runtime.Ticker;

/**
 * Waits at the start of a server for metadata that can't be reached yet: after a power failure everything starts at
 * once. What is wrong with it otherwise ends the start at once.
 *
 * <p>Confined: the thread that starts the server.
 */
final class StartWait {
    private static final Logger LOG = LoggerFactory.getLogger(StartWait.class);
    private static final Duration BETWEEN = Duration.ofSeconds(1);

    private final Duration most;
    private final Ticker ticker;
    private final Pause pause;

    /** @param most no further try begins after this */
    StartWait(Duration most, Ticker ticker, Pause pause) {
        this.most = most;
        this.ticker = ticker;
        this.pause = pause;
    }

    /** A try to open something. */
    @FunctionalInterface
    interface Opening<T> {
        T open() throws IOException, MetadataException;
    }

    /** How the time between two tries passes. */
    @FunctionalInterface
    interface Pause {
        void pause(Duration time) throws InterruptedException;
    }

    /**
     * Opens something, as often as it takes.
     *
     * @throws MetadataException the last failure
     */
    <T> T open(String what, Opening<T> opening) throws IOException, MetadataException {
        long begun = ticker.nanos();
        while (true) {
            try {
                return opening.open();
            } catch (MetadataException e) {
                long waited = ticker.nanos() - begun;
                boolean mayCome = e.reason() == Reason.UNAVAILABLE || e.reason() == Reason.BUSY;
                if (!mayCome || waited >= most.toNanos() || !waits()) {
                    throw e;
                }
                LOG.warn(
                        "waiting for {} to start waitedSeconds={} atMostSeconds={} cause={}",
                        what,
                        Duration.ofNanos(waited).toSeconds(),
                        most.toSeconds(),
                        e.getMessage());
            }
        }
    }

    /** False if the start was interrupted meanwhile. */
    private boolean waits() {
        try {
            pause.pause(BETWEEN);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
