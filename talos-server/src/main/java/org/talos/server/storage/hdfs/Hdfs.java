// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
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
import org.apache.hadoop.ipc.RemoteException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;

/**
 * The file system, as much of it as the store uses, and what its calls have to be careful about.
 *
 * <p>Thread-safe. Threads that call it must not be interrupted while they do.
 */
final class Hdfs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Hdfs.class);
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int BACKGROUND_THREADS = 8;
    /** A recovery that is asked for again begins anew: a running one gets this long first. */
    private static final Duration RECOVERY_PACE = Duration.ofSeconds(5);

    /**
     * Where no other DataNode is to be had, a write goes on with those that are left instead of failing; the file is
     * then soon followed by a new one.
     */
    private static final String GO_ON_WITH_FEWER = "dfs.client.block.write.replace-datanode-on-failure.best-effort";

    /**
     * When the process ends it is the store that closes its files, and then the file system: not Hadoop, under its
     * hands.
     */
    private static final String CLOSE_AT_EXIT = "fs.automatic.close";

    private static final Duration POLL = Duration.ofMillis(200);

    private final DistributedFileSystem files;
    private final long blockBytes;
    private final Duration timeout;
    private final Ticker ticker;
    private final HdfsListener listener;
    private final ExecutorService background =
            Executors.newFixedThreadPool(BACKGROUND_THREADS, new NamedThreads("hdfs-files"));
    private final CountDownLatch closed = new CountDownLatch(1);

    private Hdfs(DistributedFileSystem files, long blockBytes, Duration timeout, Ticker ticker, HdfsListener listener) {
        this.listener = listener;
        this.files = files;
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

    Path qualify(Path path) {
        return files.makeQualified(path);
    }

    /**
     * Makes a file that is not there yet, in a directory that is.
     *
     * @throws FileAlreadyExistsException it is there
     * @throws FileNotFoundException the directory is not there
     */
    FSDataOutputStream create(Path path, int replication) throws IOException {
        try {
            return files.createNonRecursive(path, false, BUFFER_BYTES, (short) replication, blockBytes, null);
        } catch (RemoteException e) {
            IOException cause = e.unwrapRemoteException();
            if (cause instanceof AlreadyBeingCreatedException) { // it is there, and open
                throw (IOException) new FileAlreadyExistsException(path + " is being written").initCause(e);
            }
            throw cause;
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
            List<FileStatus> found = new ArrayList<>();
            var each = files.listStatusIterator(directory);
            while (each.hasNext()) {
                found.add(each.next());
            }
            return found;
        } catch (FileNotFoundException e) {
            return List.of();
        }
    }

    /** Length of a file that is closed. */
    long length(Path path) throws IOException {
        return files.getFileStatus(path).getLen();
    }

    FSDataInputStream open(Path path) throws IOException {
        return files.open(path, BUFFER_BYTES);
    }

    /** Deletes a file or a whole directory; it is no error if it is gone. */
    void delete(Path path) throws IOException {
        if (!files.delete(path, true) && files.exists(path)) {
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
        try (FSDataOutputStream out = create(beside, replication)) {
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
                throw new IOException(path + " is not closed after " + timeout.toSeconds() + " s");
            }
            pause();
            if (ticker.nanos() - asked > RECOVERY_PACE.toNanos()) {
                asked = ticker.nanos();
                files.recoverLease(path);
            }
        }
    }

    private void pause() throws IOException {
        try {
            if (closed.await(POLL.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("the store is closed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Closes a file without waiting; if that fails its lease is recovered. */
    void abandon(FSDataOutputStream out, Path path) {
        inBackground(() -> {
            try {
                out.close();
            } catch (IOException e) {
                LOG.info("file not closed by its writer; its lease is recovered path={} cause={}", path, e.toString());
                files.recoverLease(path);
            }
        });
    }

    /** Closes a file that is whole; if that fails its lease is recovered, so that it is closed in any case. */
    void close(FSDataOutputStream out, Path path) throws IOException {
        try {
            out.close();
        } catch (IOException e) {
            LOG.info("file not closed by its writer; its lease is recovered path={} cause={}", path, e.toString());
            fence(path);
        }
    }

    /** Work on files that may fail. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /** Runs all works, several at a time, and waits for them; not to be called by a work. */
    void all(List<Work> works) throws IOException {
        List<Future<?>> running = new ArrayList<>();
        for (Work work : works) {
            running.add(background.submit(() -> {
                work.run();
                return null;
            }));
        }
        IOException failure = null;
        for (Future<?> each : running) {
            try {
                each.get();
            } catch (ExecutionException e) {
                failure = e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Runs a work on another thread; a failure is logged. */
    void inBackground(Work work) {
        try {
            background.execute(() -> {
                try {
                    work.run();
                } catch (FileNotFoundException e) {
                    LOG.debug("file has gone", e);
                } catch (IOException | RuntimeException e) {
                    LOG.warn("work on a file failed; a later opening brings it into order", e);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("the store is closing; a later opening brings the file into order", e);
        }
    }

    /**
     * Refuses a directory whose files can't be flushed, such as one with erasure coding: nothing could be acknowledged.
     */
    void probe(Path file, int replication) throws IOException {
        try (FSDataOutputStream out = create(file, replication)) {
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
        closed.countDown();
        background.shutdown();
        try {
            if (!background.awaitTermination(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
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
