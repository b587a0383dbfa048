// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.StorageException;

/**
 * Waits at the start of a server for stores that cannot be reached yet: after a power failure, all machines start at
 * once. Any other error of a store ends the start immediately.
 *
 * <p>Confined: the thread that starts the server.
 */
final class StartWait {
    private static final Logger LOG = LoggerFactory.getLogger(StartWait.class);
    private static final Duration BETWEEN = Duration.ofSeconds(1);
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(10);

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
        T open() throws IOException, MetadataException, StorageException;
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
     * @throws StorageException the last failure
     */
    <T> T open(String what, Opening<T> opening) throws IOException, MetadataException, StorageException {
        long begun = ticker.nanos();
        long logged = begun - BETWEEN_LINES.toNanos();
        while (true) {
            String cause;
            try {
                return opening.open();
            } catch (MetadataException e) {
                if (!mayCome(e) || !waits(begun)) {
                    throw e;
                }
                cause = e.getMessage();
            } catch (StorageException e) {
                if (!mayCome(e) || !waits(begun)) {
                    throw e;
                }
                cause = e.getMessage();
            }
            if (ticker.nanos() - logged >= BETWEEN_LINES.toNanos()) {
                logged = ticker.nanos();
                LOG.warn(
                        "waiting for {} to start waitedSeconds={} atMostSeconds={} cause={}",
                        what,
                        Duration.ofNanos(logged - begun).toSeconds(),
                        most.toSeconds(),
                        cause);
            }
        }
    }

    private static boolean mayCome(MetadataException failure) {
        return failure.reason() == Reason.UNAVAILABLE || failure.reason() == Reason.BUSY;
    }

    /** Returns whether waiting may help. A refusal of this server itself has no cause. */
    private static boolean mayCome(StorageException failure) {
        return failure.reason() == StorageException.Reason.UNAVAILABLE && failure.getCause() instanceof IOException;
    }

    /** Returns false if the wait has taken too long, or the start was interrupted. */
    private boolean waits(long begun) {
        if (ticker.nanos() - begun >= most.toNanos()) {
            return false;
        }
        try {
            pause.pause(BETWEEN);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
