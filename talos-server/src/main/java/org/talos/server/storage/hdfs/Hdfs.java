// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
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
import org.talos.server.runtime.BackgroundPool;
import org.talos.server.runtime.FirstLine;
import org.talos.server.runtime.SystemThreads;
import org.talos.server.runtime.Threads;
import org.talos.server.runtime.Ticker;
import org.talos.server.storage.hdfs.client.HdfsCalls;
import org.talos.server.storage.hdfs.client.WrittenFile;

/**
 * The file system, as much of it as the store uses, and what its calls have to be careful about.
 *
 * <p>Thread-safe. Threads that call it must not be interrupted while they do.
 */
final class Hdfs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Hdfs.class);
    private static final int CLOSING_THREADS = 8;
    private static final int MAX_WAITING_CLOSES = 1_000; // each is an open file, with threads and memory of its own
    private static final int FENCING_THREADS = 8;
    private static final int MAX_WAITING_FENCES = 10_000; // the files of a takeover are asked for together
    private static final int PREPARING_THREADS = 4;
    private static final int MAX_WAITING_PREPARED = 100; // one for each journal
    /** A recovery that is asked for again begins anew: a running one gets this long first. */
    private static final Duration RECOVERY_PACE = Duration.ofSeconds(5);

    /**
     * Where no other DataNode is to be had, a write goes on with those that are left instead of failing; the file is
     * then soon followed by a new one.
     */
    private static final String GO_ON_WITH_FEWER = "dfs.client.block.write.replace-datanode-on-failure.best-effort";

    /** When the process ends the store closes its files, and then the file system: not Hadoop, under its hands. */
    private static final String CLOSE_AT_EXIT = "fs.automatic.close";

    private static final Duration POLL = Duration.ofMillis(200);
    /** Between two looks at what has to be done while others work. */
    private static final Duration MEANWHILE = Duration.ofSeconds(1);

    private final HdfsCalls files;
    private final long blockBytes;
    private final Duration timeout;
    private final Ticker ticker;
    private final HdfsListener listener;
    private final Threads threads;
    private final ExecutorService closes; // of what failed or is full: the first to hang
    private final ExecutorService fences; // of what others were writing, and what follows from it
    private final ExecutorService preparing; // of what puts will need
    private final ExecutorService probing; // whether HDFS answers
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** On a file system that is connected. */
    Hdfs(DistributedFileSystem files, long blockBytes, Duration timeout, Ticker ticker, HdfsListener listener) {
        this(files, blockBytes, timeout, ticker, listener, new SystemThreads(), (role, most, maxWaiting) -> {
            BackgroundPool pool = new BackgroundPool(role, most, maxWaiting, ticker);
            listener.poolMade(pool);
            return pool;
        });
    }

    /** Makes a pool of threads that refuses tasks when so many wait. */
    @FunctionalInterface
    interface Pools {
        ExecutorService pool(String role, int threads, int maxWaiting);
    }

    /** On a file system that is connected, with threads of its own choice. */
    Hdfs(
            DistributedFileSystem files,
            long blockBytes,
            Duration timeout,
            Ticker ticker,
            HdfsListener listener,
            Threads threads,
            Pools pools) {
        closes = pools.pool("hdfs-closes", CLOSING_THREADS, MAX_WAITING_CLOSES);
        fences = pools.pool("hdfs-fences", FENCING_THREADS, MAX_WAITING_FENCES);
        preparing = pools.pool("hdfs-preparing", PREPARING_THREADS, MAX_WAITING_PREPARED);
        probing = pools.pool("hdfs-probe", 1, 1);
        this.threads = threads;
        this.listener = listener;
        this.files = new HdfsCalls(files);
        this.blockBytes = blockBytes;
        this.timeout = timeout;
        this.ticker = ticker;
    }

    /**
     * Connects to the file system on which a path is.
     *
     * @param timeout for one file to be closed after its writer has gone
     * @throws IOException it can't be reached, or is not HDFS
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
        FileSystem files = FileSystem.newInstance(root.toUri(), own);
        if (files instanceof DistributedFileSystem hdfs) {
            return new Hdfs(hdfs, blockBytes, timeout, ticker, listener);
        }
        String scheme = files.getScheme();
        files.close();
        throw new IOException("hdfs.root: " + root + " is on a file system of kind " + scheme + " (expected: hdfs)");
    }

    private List<ExecutorService> pools() {
        return List.of(closes, fences, preparing, probing);
    }

    Path qualify(Path path) {
        return files.makeQualified(path);
    }

    /**
     * Makes a file that is not there yet, in a directory that is.
     *
     * @throws FileAlreadyExistsException it is there
     * @throws FileNotFoundException the directory is not there
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
            throw new IOException(path + " can't be made");
        }
    }

    boolean exists(Path path) throws IOException {
        return files.exists(path);
    }

    /** What is in a directory; nothing if there is none. */
    List<FileStatus> list(Path directory) throws IOException {
        try {
            return files.list(directory);
        } catch (FileNotFoundException e) {
            return List.of();
        }
    }

    /**
     * Whether nobody writes a file any more.
     *
     * @throws FileNotFoundException it is not there
     */
    boolean isClosed(Path path) throws IOException {
        return files.isFileClosed(path);
    }

    /** When a file was changed or touched; empty if it is not there. */
    OptionalLong touched(Path path) throws IOException {
        try {
            return OptionalLong.of(files.getFileStatus(path).getModificationTime());
        } catch (FileNotFoundException e) {
            return OptionalLong.empty();
        }
    }

    /** Gives a file a time, which need not be one of any clock. */
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

    /** Deletes a file or a whole directory; it is no error if it is gone. */
    void delete(Path path) throws IOException {
        if (!files.delete(path) && files.exists(path)) {
            throw new IOException(path + " can't be deleted");
        }
    }

    /**
     * Deletes a file of which no byte was ever flushed, unless another server has closed it and counts on it. Nobody
     * could close it if the disks were full when it was begun: DataNodes refuse to recover a block without a checksum.
     */
    void deleteVain(Path path) throws IOException {
        try {
            if (!files.isFileClosed(path)) {
                delete(path);
            }
        } catch (FileNotFoundException e) {
            LOG.debug("file has gone", e);
        }
    }

    /** Gives a file a name that must be free; false if it is taken. */
    boolean rename(Path from, Path to) throws IOException {
        try {
            files.rename(from, to, Options.Rename.NONE);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** Puts a whole small file in place of an earlier one: either is there, never a part. */
    void replace(Path target, Path beside, int replication, byte[] bytes) throws IOException {
        delete(beside);
        try (WrittenFile out = create(beside, replication)) {
            out.write(bytes);
        }
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

    /** The first bytes of a closed file, as many as fit or as there are. */
    ByteBuffer head(Path path, int bytes) throws IOException {
        try (FSDataInputStream in = open(path)) {
            return ByteBuffer.wrap(in.readNBytes(bytes));
        }
    }

    /**
     * Cuts a closed file; it is closed again when this returns.
     *
     * @throws IOException it may be cut or not
     */
    void truncate(Path path, long length) throws IOException {
        if (length(path) > length && !files.truncate(path, length)) {
            awaitClosed(path);
        }
    }

    /**
     * Recovers the lease of a file and waits until it is closed: from then on its writer adds no byte to it, and its
     * length is known.
     *
     * @throws FileNotFoundException it is not there
     * @throws IOException it is not closed by the store's time-out
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

    private void awaitClosed(Path path) throws IOException {
        long begun = ticker.nanos();
        long asked = begun;
        while (!files.isFileClosed(path)) {
            if (ticker.nanos() - begun > timeout.toNanos()) {
                throw new IOException(path + " is not closed after " + timeout.toSeconds()
                        + " s; if its DataNodes log «Metafile is empty», nothing was ever stored in it, and an operator"
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

    /** Closes a file without waiting; if that fails its lease is recovered. */
    void abandon(FSDataOutputStream out, Path path) {
        closeLater(() -> closeOr(out, path, () -> files.recoverLease(path)));
    }

    /** Closes a file that is whole; if that fails its lease is recovered, so that it is closed in any case. */
    void close(FSDataOutputStream out, Path path) throws IOException {
        closeOr(out, path, () -> fence(path));
    }

    private static void closeOr(FSDataOutputStream out, Path path, Work otherwise) throws IOException {
        try {
            out.close();
        } catch (IOException e) {
            LOG.info("file not closed by its writer; its lease is recovered path={} cause={}", path, FirstLine.of(e));
            otherwise.run();
        }
    }

    /** Work on files that may fail. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /**
     * Runs all works of a takeover, several at a time, and waits for them all; not to be called by a work.
     *
     * @param meanwhile done about every second by the thread that waits
     * @throws IOException a work or what was done meanwhile has failed, or too many wait for HDFS already
     */
    void all(List<Work> works, Work meanwhile) throws IOException {
        List<Future<?>> running = new ArrayList<>();
        List<IOException> failures = new ArrayList<>();
        try {
            for (Work work : works) {
                FutureTask<Void> task = new FutureTask<>(() -> {
                    work.run();
                    return null;
                });
                fences.execute(task);
                running.add(task);
            }
        } catch (RejectedExecutionException e) {
            failures.add(new IOException("HDFS has not answered what was asked before: " + FirstLine.of(e), e));
        }
        for (Future<?> each : running) {
            while (!hasEnded(each, failures)) {
                try {
                    meanwhile.run();
                } catch (IOException e) { // no work is to go on unknown to who waits for it
                    failures.add(e);
                }
            }
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    private boolean hasEnded(Future<?> running, List<IOException> failures) throws IOException {
        try {
            var unused = threads.result(running, MEANWHILE.toMillis());
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            failures.add(e.getCause() instanceof IOException io ? io : new IOException(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return true;
    }

    /** How threads wait here. */
    Threads threads() {
        return threads;
    }

    /** Closes or deletes files on another thread; a failure is logged, and so is that too many wait: then false. */
    boolean closeLater(Work work) {
        return inBackground(closes, work);
    }

    /** Makes files that will be needed soon, on another thread. */
    void prepareLater(Work work) {
        var unused = inBackground(preparing, work);
    }

    /** Asks whether HDFS answers, on a thread for that, one question at a time; false if it can't be asked now. */
    boolean ask(Work work) {
        return inBackground(probing, work);
    }

    private boolean inBackground(ExecutorService pool, Work work) {
        try {
            pool.execute(() -> {
                try {
                    work.run();
                } catch (FileNotFoundException e) {
                    LOG.debug("file has gone", e);
                } catch (IOException | RuntimeException e) {
                    LOG.warn("work on a file failed; a later opening brings it into order", e);
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            if (!closed.isDone()) {
                LOG.warn("file left as it is, a later opening brings it into order cause={}", FirstLine.of(e));
            }
            return false;
        }
    }

    /**
     * Refuses a directory whose files can't be flushed, such as one with erasure coding: nothing could be acknowledged.
     */
    void probe(Path file, int replication) throws IOException {
        try (WrittenFile out = create(file, replication)) {
            if (!out.hasCapability(StreamCapabilities.HSYNC)) {
                throw new IOException("files in " + file.getParent()
                        + " can't be flushed (expected: replicated files, not erasure coding)");
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
        pools().forEach(ExecutorService::shutdown);
        long until = ticker.nanos() + timeout.toNanos();
        try {
            boolean ended = true;
            for (ExecutorService pool : pools()) {
                ended &= pool.awaitTermination(Math.max(0, until - ticker.nanos()), TimeUnit.NANOSECONDS);
            }
            if (!ended) {
                LOG.warn("files left unclosed: the next opening recovers their leases");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            files.close();
        } catch (IOException e) {
            LOG.warn("file system not closed cleanly", e);
        }
    }
}
