// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.FirstLine;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.hdfs.client.HdfsCalls;
import org.talos.server.storage.hdfs.client.WrittenFile;

/**
 * Opens closed files again, to sync or to cut them.
 *
 * <p>Invariant: a separate client that opens no other files does so, and each file is opened by one thread at a time.
 * The NameNode distinguishes streams of a file only by the names of their clients. An earlier stream of the same client
 * may still be closing, and retries that every 400 ms. Its end would count as this stream's: the NameNode would close
 * the file with the old stamp of its last block, while all replicas already have the next one. Restarted DataNodes do
 * not serve such replicas any more, so the block is lost with everything acknowledged in it.
 *
 * <p>Thread-safe.
 */
final class ReopenedFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReopenedFiles.class);

    /** Part of the NameNode's message if no living DataNode has the last block of a file. */
    private static final String NO_REPLICA = "is not sufficiently replicated yet";

    private static final Duration REPORTED_WITHIN = Duration.ofSeconds(2);
    private static final int MOST_SYNCS = 5; // each server that takes over a file, or abandons it, may end one

    private final Hdfs hdfs;
    private final HdfsCalls again;
    private final Ticker ticker;
    private final Map<Path, CompletableFuture<Void>> inUse = new ConcurrentHashMap<>(); // completes when the use ends

    /** @param again a client of its own */
    ReopenedFiles(Hdfs hdfs, HdfsCalls again, Ticker ticker) {
        this.hdfs = hdfs;
        this.again = again;
        this.ticker = ticker;
    }

    /** Cuts a closed file, as {@link Hdfs#truncate}. */
    void cut(Path path, long length) throws IOException {
        alone(path, () -> {
            if (!again.truncate(path, length)) {
                hdfs.awaitClosed(path);
            }
            syncAlone(path);
        });
    }

    /**
     * Syncs the last block of a closed file: opens the file for further writes, and closes it. DataNodes that recover a
     * lease or cut a file sync nothing. If all of them lost power then, the block would be shorter on their disks than
     * recorded, or have an old name. It would count as corrupt, with everything that was ever synced in it.
     *
     * <p>If another server takes the file's lease, to fence the file or to sync it too, the sync ends and is repeated.
     *
     * <p>If no DataNode can sync it, the caller continues nevertheless. Otherwise a partition would not be served until
     * a DataNode comes back, and its file would be no safer.
     */
    void sync(Path path) throws IOException {
        alone(path, () -> syncAlone(path));
    }

    /** Fences a file as {@link Hdfs#fence}, and syncs it. Waits first for a thread that already syncs it. */
    void fenceAndSync(Path path) throws IOException {
        alone(path, () -> {
            hdfs.fence(path);
            syncAlone(path);
        });
    }

    /** Returns whether a thread syncs or cuts a file now. */
    boolean isInUse(Path path) {
        return inUse.containsKey(path);
    }

    /**
     * Runs work on a file that no other thread uses during it. Waits for the end of that thread's use, not for a time.
     * In a simulation, a step that waits for a time under a lock holds up all others that might need the lock.
     */
    private void alone(Path path, Hdfs.Work work) throws IOException {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> other = inUse.putIfAbsent(path, mine);
        while (other != null) {
            hdfs.awaitThread(other);
            other = inUse.putIfAbsent(path, mine);
        }
        try {
            work.run();
        } finally {
            inUse.remove(path);
            mine.complete(null);
        }
    }

    private void syncAlone(Path path) throws IOException {
        for (int attempt = 1; !isSynced(path, attempt); attempt++) {
            awaitUnused(path);
        }
    }

    /** Returns false if that failed, and another attempt may succeed. */
    private boolean isSynced(Path path, int attempt) throws IOException {
        try {
            Optional<WrittenFile> opened = open(path);
            if (opened.isPresent()) {
                opened.get().close();
            }
            return true;
        } catch (IOException e) {
            if (attempt >= MOST_SYNCS) {
                var unused = hdfs.closeLater(() -> hdfs.endLease(path));
                throw e;
            }
            LOG.info("file not synced, its lease was taken; will retry path={} cause={}", path, FirstLine.of(e));
            return false;
        }
    }

    /** Waits until the file has no writer. A server that syncs it needs a moment; the lease of another is recovered. */
    private void awaitUnused(Path path) throws IOException {
        long begun = ticker.nanos();
        hdfs.pause();
        while (!hdfs.isClosed(path) && ticker.nanos() - begun < REPORTED_WITHIN.toNanos()) {
            hdfs.pause();
        }
        hdfs.fence(path);
    }

    /** Opens a closed file for further writes; empty if its DataNodes are full, or the ones with the file are away. */
    private Optional<WrittenFile> open(Path path) throws IOException {
        long begun = ticker.nanos();
        while (true) {
            try {
                return Optional.of(again.append(path));
            } catch (IOException e) {
                boolean away = String.valueOf(e.getMessage()).contains(NO_REPLICA);
                if (!away && !StorageException.isDiskFull(e)) {
                    throw e;
                }
                if (!away || ticker.nanos() - begun > REPORTED_WITHIN.toNanos()) {
                    LOG.warn(
                            "file not synced, its end may be lost if all DataNodes lose their power soon path={}",
                            path,
                            e);
                    return Optional.empty();
                }
            }
            hdfs.pause(); // a live DataNode soon reports its blocks
        }
    }

    /** Disconnects its client. */
    @Override
    public void close() {
        Hdfs.disconnect(again);
    }
}
