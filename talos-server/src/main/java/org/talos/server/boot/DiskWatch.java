// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.ServerConfig;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.thread.BackgroundPool;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.StorageException;

/**
 * Looks at the disk of a server that keeps anything on its own machine: before its start, and then each second.
 *
 * <p>Thread-safe.
 */
public final class DiskWatch {
    private static final int LOOK_SECONDS = 1;

    private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);
    private static final long WAIT_SECONDS = 2;

    private final boolean watches;
    private final DiskSpace space;
    private final Ballast ballast;

    /** Looks for the first time, and makes room for a start that would find none. */
    public DiskWatch(ServerConfig config, Ticker ticker, LogMetrics metrics, Readiness readiness) {
        Path data = Path.of(config.dataDirectory()).toAbsolutePath();
        watches = config.storage().onThisMachine();
        space = watches
                ? new DiskSpace(
                        List.of(data, data.resolve(Stores.LOGS), data.resolve(Stores.METADATA)),
                        config.storage().reserveBytes(),
                        DiskSpace.SYSTEM,
                        ticker)
                : DiskSpace.none();
        ballast = new Ballast(data, DiskSpace.SYSTEM);
        metrics.watchDisk(space::freeBytes);
        readiness.warn("disk", space::warning); // also while the start waits for room
        readiness.watch("files", OpenFiles::failure);
        readiness.warn("files", OpenFiles::warning);
        OpenFiles.shortage(config.http().maxConnections()).ifPresent(LOG::warn);
        if (watches) {
            ballast.releaseForStart();
            space.look();
        }
    }

    /** Accepts the writes that a start needs. */
    @FunctionalInterface
    public interface Opening<T> {
        /** Opens it; if that fails nothing of it is left open. */
        T open() throws IOException, MetadataException, StorageException;
    }

    /** Opens something, and waits for room if it fails since the disk has none: for as long as that takes. */
    public <T> T whenThereIsRoom(Opening<T> opening) throws IOException, MetadataException, StorageException {
        CountDownLatch never = new CountDownLatch(1);
        for (boolean said = false; ; said = true) {
            try {
                return opening.open();
            } catch (IOException | MetadataException | StorageException e) {
                if (!StartFailure.isDiskFull(e)) {
                    throw e;
                }
                if (!said) {
                    LOG.error("the start waits for room: {}", StartFailure.sentence(e));
                }
            }
            try {
                var unused = never.await(WAIT_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while the start waited for room");
            }
        }
    }

    /** The room there is. */
    public DiskSpace space() {
        return space;
    }

    /** Continues looking. */
    public void start(BackgroundPool threads) {
        if (watches) {
            var unused = threads.scheduleWithFixedDelay(this::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void look() {
        space.look();
        ballast.check(space.shortage() != null);
    }
}
