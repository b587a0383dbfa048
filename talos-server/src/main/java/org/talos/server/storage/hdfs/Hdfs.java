// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.FirstLine;
import org.talos.server.runtime.thread.BackgroundPool;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.hdfs.client.HdfsCalls;
import org.talos.server.storage.hdfs.client.HdfsWorkers;
import org.talos.server.storage.hdfs.client.WrittenFile;

/**
 * The file system, as far as the store uses it, with the precautions that its calls need.
 *
 * <p>Thread-safe. Do not interrupt threads that call it.
 */
final class Hdfs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Hdfs.class);
    /** A lease recovery that is requested again starts again: a running one gets this long first. */
    private static final Duration RECOVERY_PACE = Duration.ofSeconds(5);

    /**
     * Where no other DataNode is available, a write continues with the remaining ones instead of failing; a new file
     * soon follows.
     */
    private static final String GO_ON_WITH_FEWER = "dfs.client.block.write.replace-datanode-on-failure.best-effort";

    /** When the process ends, the store closes its files and then the file system. Hadoop must not close it earlier. */
    private static final String CLOSE_AT_EXIT = "fs.automatic.close";

    private static final Duration POLL = Duration.ofMillis(200);

    private final HdfsCalls files;
    private final ReopenedFiles reopened;
    private final long blockBytes;
    private final Duration timeout;
    private final Ticker ticker;
    private final HdfsListener listener;
    private final Threads threads;
    private final HdfsWorkers workers;
    private final Set<Path> abandoned = ConcurrentHashMap.newKeySet(); // closed by DataNodes now or soon
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Uses a connected file system, and opens closed files again as another client. */
    Hdfs(DistributedFileSystem files, long blockBytes, Duration timeout, Ticker ticker, HdfsListener listener) {
        this(new Clients(files, files), blockBytes, timeout, ticker, listener);
    }

    private Hdfs(Clients clients, long blockBytes, Duration timeout, Ticker ticker, HdfsListener listener) {
        this(clients, blockBytes, timeout, ticker, listener, new SystemThreads(), (role, most, maxWaiting) -> {
            BackgroundPool pool = new BackgroundPool(role, most, maxWaiting, ticker);
            listener.poolMade(pool);
            return pool;
        });
    }

    /**
     * Two clients of one file system. Immutable.
     *
     * @param again for {@link ReopenedFiles}
     */
    record Clients(DistributedFileSystem files, DistributedFileSystem again) {}

    /** Uses a connected file system, with the given threads. */
    Hdfs(
            Clients clients,
            long blockBytes,
            Duration timeout,
            Ticker ticker,
            HdfsListener listener,
            Threads threads,
            HdfsWorkers.Pools pools) {
        workers = new HdfsWorkers(pools, threads);
        this.threads = threads;
        this.listener = listener;
        files = new HdfsCalls(clients.files);
        reopened = new ReopenedFiles(this, new HdfsCalls(clients.again), ticker);
        this.blockBytes = blockBytes;
        this.timeout = timeout;
        this.ticker = ticker;
    }

    /**
     * Connects to the file system on which a path is.
     *
     * @param timeout for one file to be closed after its writer has gone
     * @throws IOException it cannot be reached, or is not HDFS
     */
    static Hdfs connect(
            Path root,
            Configuration configuration,
            long blockBytes,
            Duration timeout,
            Ticker ticker,
            HdfsListener listener)
            throws IOException {
        Configuration own = new Configuration(configuration);
        own.setIfUnset(GO_ON_WITH_FEWER, "true");
        own.setBoolean(CLOSE_AT_EXIT, false);
        DistributedFileSystem files = connect(root, own);
        boolean isWhole = false;
        try {
            Hdfs hdfs = new Hdfs(new Clients(files, connect(root, own)), blockBytes, timeout, ticker, listener);
            isWhole = true;
            return hdfs;
        } finally {
            if (!isWhole) {
                files.close();
            }
        }
    }

    /** Returns another client, with a unique name. */
    private static DistributedFileSystem connect(Path root, Configuration configuration) throws IOException {
        FileSystem files = FileSystem.newInstance(root.toUri(), configuration);
        if (files instanceof DistributedFileSystem hdfs) {
            return hdfs;
        }
        String scheme = files.getScheme();
        files.close();
        throw new IOException("hdfs.root: " + root + " is on a file system of kind " + scheme + " (expected: hdfs)");
    }

    Path qualify(Path path) {
        return files.makeQualified(path);
    }

    /**
     * Creates a new file in an existing directory. Once it is closed, all DataNodes have it on their disks.
     *
     * @throws FileAlreadyExistsException it is there
     * @throws FileNotFoundException the directory is missing
     */
    WrittenFile create(Path path, int replication) throws IOException {
        try {
            return files.create(path, replication, blockBytes);
        } catch (AlreadyBeingCreatedException e) { // it is there, and open
            throw (IOException) new FileAlreadyExistsException(path + " is being written").initCause(e);
        }
    }

    void makeDirectory(Path path) throws IOException {
        if (!files.mkdirs(path)) {
            throw new IOException(path + " cannot be made");
        }
    }

    boolean exists(Path path) throws IOException {
        return files.exists(path);
    }

    /** Returns the entries of a directory; nothing if there is none. */
    List<FileStatus> list(Path directory) throws IOException {
        try {
            return files.list(directory);
        } catch (FileNotFoundException e) {
            return List.of();
        }
    }

    /**
     * Returns whether a file has no writer any more.
     *
     * @throws FileNotFoundException it is missing
     */
    boolean isClosed(Path path) throws IOException {
        return files.isFileClosed(path);
    }

    /** Returns when a file was changed or touched; empty if it is missing. */
    OptionalLong touched(Path path) throws IOException {
        try {
            return OptionalLong.of(files.getFileStatus(path).getModificationTime());
        } catch (FileNotFoundException e) {
            return OptionalLong.empty();
        }
    }

    /** Sets a file's time, which need not be a time of any clock. */
    void touch(Path path, long time) throws IOException {
        files.setTime(path, time);
    }

    /** Length of a file that is closed. */
    long length(Path path) throws IOException {
        return files.getFileStatus(path).getLen();
    }

    FSDataInputStream open(Path path) throws IOException {
        return files.open(path);
    }

    /** Deletes a file or a whole directory. A missing one is not an error. */
    void delete(Path path) throws IOException {
        if (!files.delete(path) && files.exists(path)) {
            throw new IOException(path + " cannot be deleted");
        }
    }

    /**
     * Deletes a file of which no byte was ever flushed, unless another server has closed it and counts on it. It could
     * not be closed if the disks were full when it was begun: DataNodes refuse to recover a block without a checksum.
     */
    void deleteVain(Path path) throws IOException {
        try {
            if (!files.isFileClosed(path)) {
                delete(path);
            }
        } catch (FileNotFoundException e) {
            LOG.debug("file no longer exists", e);
        }
    }

    /** Renames a file to a name that must be free; returns false if it is taken. */
    boolean rename(Path from, Path to) throws IOException {
        try {
            files.rename(from, to, Options.Rename.NONE);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** Replaces a whole small file: either version is there and on the disks, never a part. */
    void replace(Path target, Path beside, int replication, byte[] bytes) throws IOException {
        delete(beside);
        try (WrittenFile out = create(beside, replication)) {
            out.write(bytes);
        } // synced, before it is counted on
        files.rename(beside, target, Options.Rename.OVERWRITE);
    }

    /** Reads a whole small file; empty if there is none. */
    Optional<byte[]> load(Path path) throws IOException {
        try (FSDataInputStream in = open(path)) {
            return Optional.of(in.readAllBytes());
        } catch (FileNotFoundException e) {
            return Optional.empty();
        }
    }

    /** Returns the first bytes of a closed file, as many as fit or exist. */
    ByteBuffer head(Path path, int bytes) throws IOException {
        try (FSDataInputStream in = open(path)) {
            return ByteBuffer.wrap(in.readNBytes(bytes));
        }
    }

    /**
     * Cuts a closed file; it is closed again and on the disks when this returns.
     *
     * @throws IOException it may be cut or not
     */
    void truncate(Path path, long length) throws IOException {
        if (length(path) > length) {
            reopened.cut(path, length);
        }
    }

    /**
     * Recovers the lease of a file and waits until it is closed: from then on its writer adds no byte to it, and its
     * length is known.
     *
     * @throws FileNotFoundException it is missing
     * @throws IOException it is not closed by the store's timeout
     */
    void fence(Path path) throws IOException {
        if (files.isFileClosed(path)) {
            return;
        }
        long begun = ticker.nanos();
        if (!files.recoverLease(path)) {
            awaitClosed(path);
        }
        listener.leaseRecovered(ticker.nanos() - begun);
    }

    /**
     * Like {@link #fence}; when this returns, all DataNodes have the file on their disks, whichever client has closed
     * it.
     */
    void fenceAndSync(Path path) throws IOException {
        reopened.fenceAndSync(path);
    }

    /** Waits until a file is closed whose lease is being recovered, or that is being cut. */
    void awaitClosed(Path path) throws IOException {
        long begun = ticker.nanos();
        long asked = begun;
        while (!files.isFileClosed(path)) {
            if (ticker.nanos() - begun > timeout.toNanos()) {
                throw new IOException(path + " is not closed after " + timeout.toSeconds()
                        + " s; if its DataNodes log 'Metafile is empty', nothing was ever stored in it, and an operator"
                        + " has to delete it");
            }
            pause();
            if (ticker.nanos() - asked > RECOVERY_PACE.toNanos()) {
                asked = ticker.nanos();
                files.recoverLease(path);
            }
        }
    }

    /** Waits a moment. */
    void pause() throws IOException {
        try {
            var unused = threads.result(closed, POLL.toMillis());
            throw new IOException("the store is closed");
        } catch (TimeoutException e) {
            LOG.trace("polling again");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // it never fails
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /**
     * Waits for another thread of the store, which completes the future at the end of its work.
     *
     * @throws IOException the store was closed
     */
    void awaitThread(CompletableFuture<Void> ended) throws IOException {
        threads.awaitEnd(CompletableFuture.anyOf(ended, closed));
        if (!ended.isDone()) {
            throw new IOException("the store is closed");
        }
    }

    /** Closes a file without waiting; if that fails its lease is recovered, and {@link #syncAbandoned} syncs it. */
    void abandon(FSDataOutputStream out, Path path) {
        var unused = closeLater(() -> closeOr(out, path, () -> endLeaseOfWriter(path)));
    }

    /** The writer may have lost its lease because the file is already open again: such a file is left alone. */
    private void endLeaseOfWriter(Path path) throws IOException {
        if (reopened.isInUse(path)) {
            abandoned.add(path);
        } else {
            endLease(path);
        }
    }

    /** Asks DataNodes to close a file, without waiting; {@link #syncAbandoned} syncs it. */
    void endLease(Path path) throws IOException {
        abandoned.add(path);
        files.recoverLease(path);
    }

    /** Syncs on another thread the abandoned files that are closed by now. Call it at intervals. */
    void syncAbandoned() {
        for (Path path : List.copyOf(abandoned)) {
            if (abandoned.remove(path) && !closeLater(() -> syncIfClosed(path))) {
                abandoned.add(path);
            }
        }
    }

    private void syncIfClosed(Path path) throws IOException {
        boolean done = false;
        try {
            if (files.isFileClosed(path)) {
                reopened.sync(path);
                done = true;
            }
        } catch (FileNotFoundException e) {
            LOG.debug("file no longer exists", e);
            done = true;
        } finally {
            if (!done) {
                abandoned.add(path);
            }
        }
    }

    /** Closes a whole file; if that fails its lease is recovered, so that it is closed and synced in any case. */
    void close(FSDataOutputStream out, Path path) throws IOException {
        closeOr(out, path, () -> fenceAndSync(path));
    }

    private static void closeOr(FSDataOutputStream out, Path path, Work otherwise) throws IOException {
        try {
            out.close();
        } catch (IOException e) {
            LOG.info(
                    "file not closed by its writer; its lease will be recovered path={} cause={}",
                    path,
                    FirstLine.of(e));
            otherwise.run();
        }
    }

    /** Work on files that may fail. */
    @FunctionalInterface
    interface Work extends HdfsWorkers.Work {}

    /** As {@link HdfsWorkers#all}. */
    void all(List<Work> works, Work meanwhile) throws IOException {
        workers.all(works, meanwhile);
    }

    /** As {@link HdfsWorkers#closeLater}. */
    boolean closeLater(Work work) {
        return workers.closeLater(work);
    }

    /** As {@link HdfsWorkers#prepareLater}. */
    void prepareLater(Work work) {
        workers.prepareLater(work);
    }

    /** As {@link HdfsWorkers#ask}. */
    boolean ask(Work work) {
        return workers.ask(work);
    }

    /** Returns how threads wait here. */
    Threads threads() {
        return threads;
    }

    /**
     * Refuses a directory whose files cannot be flushed, such as one with erasure coding: nothing could be
     * acknowledged.
     */
    void probe(Path file, int replication) throws IOException {
        try (WrittenFile out = create(file, replication)) {
            if (!out.hasCapability(StreamCapabilities.HSYNC)) {
                throw new IOException("files in " + file.getParent()
                        + " cannot be flushed (expected: replicated files, not erasure coding)");
            }
            out.write(1);
            out.hflush();
        } finally {
            delete(file);
        }
    }

    @Override
    public void close() {
        closed.complete(null);
        if (!workers.close(ticker, timeout)) {
            LOG.warn("files left unclosed: the next opening recovers their leases");
        }
        reopened.close();
        disconnect(files);
    }

    /** Ends a client of the file system. */
    static void disconnect(HdfsCalls client) {
        try {
            client.close();
        } catch (IOException e) {
            LOG.warn("file system not closed cleanly", e);
        }
    }
}
