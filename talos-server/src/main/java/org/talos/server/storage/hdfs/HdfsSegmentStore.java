// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.talos.common.error.Effect;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.LogConfig;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;

/**
 * Opens stores whose segments are files of HDFS. All segments share a few journals. A byte is acknowledged when all
 * replicas have it: in memory with {@link Durability#FLUSH}, on the disk with {@link Durability#FSYNC}.
 *
 * <p>Many servers may use one directory. They do not interfere, because a segment belongs to one epoch of one owner,
 * and {@link SegmentStore#recover} takes the segment's file and the journals behind it away from that owner.
 *
 * <p>Immutable.
 */
public final class HdfsSegmentStore {
    /** A copy is a write and a wait for its flush: one at a time, segments would grow more slowly than puts arrive. */
    private static final int COPIES_AT_ONCE = 16;

    private HdfsSegmentStore() {}

    /**
     * Opens the store in the configured directory, which must exist.
     *
     * @param hadoop as the cluster's files have it
     * @throws StorageException UNAVAILABLE: the directory is missing, cannot be reached, or its files cannot be flushed
     */
    public static JournaledSegmentStore open(
            HdfsConfig config, LogConfig logConfig, Configuration hadoop, Ticker ticker, HdfsListener listener)
            throws StorageException {
        try {
            Path root = new Path(config.root());
            Hdfs hdfs = Hdfs.connect(root, hadoop, config.blockBytes(), config.timeout(), ticker, listener);
            return open(hdfs, config, logConfig, ticker, listener, new SystemThreads());
        } catch (IOException e) {
            throw StorageException.unavailable("directory " + config.root() + " cannot be opened", Effect.NONE, e);
        }
    }

    /** Opens the store on a connected file system, which is closed with the store, and if this fails. */
    static JournaledSegmentStore open(
            Hdfs hdfs, HdfsConfig config, LogConfig logConfig, Ticker ticker, HdfsListener listener, Threads threads)
            throws IOException, StorageException {
        try {
            return new JournaledSegmentStore(
                    logConfig.maxUnwrittenBytes(),
                    COPIES_AT_ONCE,
                    ticker,
                    threads,
                    (copier, open) ->
                            HdfsSegmentFiles.open(hdfs, config, logConfig, ticker, listener, copier, threads));
        } catch (IOException | StorageException | RuntimeException | Error e) {
            hdfs.close();
            throw e;
        }
    }
}
