// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.file.Path;
import org.talos.common.error.Effect;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogsIdentity;
import org.talos.server.storage.SegmentRows;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournalListener;
import org.talos.server.storage.journal.JournaledSegmentStore;

/**
 * Opens stores whose segments are files of one directory. All segments share one journal. Before an append is
 * acknowledged, the journal is on the disk with {@link Durability#FSYNC}, and in the page cache with
 * {@link Durability#FLUSH}.
 *
 * <p>Immutable.
 */
public final class LocalSegmentStore {
    private static final int COPIES_AT_ONCE = 1;

    private LocalSegmentStore() {}

    /**
     * Opens the store in a directory, and replays the journal that an earlier run has left.
     *
     * @throws StorageException UNAVAILABLE: in use, or cannot be read; CORRUPT: damaged, or of another format
     */
    public static JournaledSegmentStore open(Path root, LogConfig config, Ticker ticker, JournalListener listener)
            throws StorageException {
        return open(root, config, ticker, listener, SegmentRows.NONE);
    }

    /** Does the same, and creates missing segments again, if the rows have them and the journal has all of them. */
    public static JournaledSegmentStore open(
            Path root, LogConfig config, Ticker ticker, JournalListener listener, SegmentRows rows)
            throws StorageException {
        return open(root, config, ticker, listener, rows, new Disk.RealDisk(), new SystemThreads());
    }

    /** Returns the identity of the logs in a directory, which need not exist; for a check before they are opened. */
    public static LogsIdentity identity(Path root) {
        return new LocalIdentity(new Disk.RealDisk(), root);
    }

    static JournaledSegmentStore open(
            Path root,
            LogConfig config,
            Ticker ticker,
            JournalListener listener,
            SegmentRows rows,
            Disk disk,
            Threads threads)
            throws StorageException {
        try {
            return new JournaledSegmentStore(
                    config.maxUnwrittenBytes(),
                    COPIES_AT_ONCE,
                    ticker,
                    threads,
                    (copier, open) -> LocalSegmentFiles.open(
                            new LocalSegmentFiles.Place(new DiskPaths(root), disk, rows),
                            config,
                            ticker,
                            listener,
                            copier,
                            open,
                            threads));
        } catch (IOException e) {
            throw StorageException.unavailable("directory " + root + " cannot be opened", Effect.NONE, e);
        }
    }
}
