// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Iterator;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.LogConfig;
import org.talos.server.simulation.SimulatedProcess;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;

/**
 * A server's client of the simulated HDFS: each call takes its time and may fail, as the simulation says. The store
 * above it is the real one.
 *
 * <p>Confined: the simulation's thread.
 */
public final class SimulatedDfs extends DistributedFileSystem {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final SimulatedHdfs shared;
    private final SimulatedProcess process;
    private final Calls calls;

    private SimulatedDfs(SimulatedHdfs shared, SimulatedProcess process, Calls calls) {
        this.shared = shared;
        this.process = process;
        this.calls = calls;
    }

    /** Faults of calls. Confined: the simulation's thread. */
    public interface Calls {
        /** Before the call takes effect: may take time, and may fail. */
        void before(String operation, String path) throws IOException;

        /** After it has taken effect: its answer may be lost. */
        void after(String operation, String path) throws IOException;

        /** Returns how long a lease recovery takes. */
        long recoveryNanos();
    }

    /** Opens the real store over the simulated file system. */
    public static JournaledSegmentStore open(
            SimulatedHdfs shared, SimulatedProcess process, Calls calls, HdfsConfig config, LogConfig log)
            throws IOException, StorageException {
        HdfsListener nobody = (bytes, writeNanos, syncNanos) -> {};
        SimulatedDfs files = new SimulatedDfs(shared, process, calls);
        Hdfs hdfs = new Hdfs(
                new Hdfs.Clients(files, files),
                config.blockBytes(),
                TIMEOUT,
                process::now,
                nobody,
                process,
                (role, threads, maxWaiting) ->
                        process.pool(role, threads, false).light());
        return HdfsSegmentStore.open(hdfs, config, log, process::now, nobody, process);
    }

    /** A call that gives something. */
    @FunctionalInterface
    private interface Asked<T> {
        T now() throws IOException;
    }

    private <T> T call(String operation, Path path, Asked<T> asked) throws IOException {
        process.requireAlive();
        String name = path.toUri().getPath();
        calls.before(operation, name);
        T result = asked.now();
        calls.after(operation, name);
        return result;
    }

    @Override
    public URI getUri() {
        return URI.create("hdfs://simulated");
    }

    @Override
    public Path makeQualified(Path path) {
        return path;
    }

    @Override
    public FSDataOutputStream createNonRecursive(
            Path path,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            @Nullable Progressable progress)
            throws IOException {
        boolean syncsBlocks = flags.contains(CreateFlag.SYNC_BLOCK);
        SimulatedHdfs.Entry made = call("create", path, () -> shared.create(path, blockSize, syncsBlocks));
        return new FSDataOutputStream(new Writer(path, made), null);
    }

    @Override
    public FSDataOutputStream append(
            Path path, EnumSet<CreateFlag> flags, int bufferSize, @Nullable Progressable progress) throws IOException {
        boolean syncsBlocks = flags.contains(CreateFlag.SYNC_BLOCK);
        SimulatedHdfs.Entry file = call("append", path, () -> shared.append(path, syncsBlocks));
        return new FSDataOutputStream(new Writer(path, file), null);
    }

    @Override
    public boolean mkdirs(Path path) throws IOException {
        return call("mkdirs", path, () -> {
            shared.makeDirectories(path);
            return true;
        });
    }

    @Override
    public boolean exists(Path path) throws IOException {
        return call("exists", path, () -> shared.exists(path));
    }

    @Override
    public boolean isFileClosed(Path path) throws IOException {
        return call("isFileClosed", path, () -> shared.isClosed(path) || shared.fencesNothing());
    }

    @Override
    public boolean recoverLease(Path path) throws IOException {
        return call("recoverLease", path, () -> {
            if (shared.isClosed(path)) {
                return true;
            }
            SimulatedHdfs.Entry file = shared.entry(path);
            if (shared.beginRecovery(path)) {
                process.detached(calls.recoveryNanos(), () -> shared.endRecovery(file));
            }
            return false;
        });
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return call("getFileStatus", path, () -> shared.status(path));
    }

    @Override
    public void setTimes(Path path, long modified, long accessed) throws IOException {
        call("setTimes", path, () -> {
            shared.touch(path, modified);
            return path;
        });
    }

    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
        Iterator<FileStatus> found = call("list", path, () -> shared.list(path)).iterator();
        return new RemoteIterator<>() {
            @Override
            public boolean hasNext() {
                return found.hasNext();
            }

            @Override
            public FileStatus next() {
                return found.next();
            }
        };
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        return call("delete", path, () -> shared.delete(path));
    }

    @Override
    public void rename(Path from, Path to, Options.Rename... options) throws IOException {
        boolean overwrites = options.length > 0 && options[0] == Options.Rename.OVERWRITE;
        call("rename", from, () -> {
            shared.rename(from, to, overwrites);
            return to;
        });
    }

    @Override
    public boolean truncate(Path path, long length) throws IOException {
        return call("truncate", path, () -> {
            shared.truncate(path, length);
            return true;
        });
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return new FSDataInputStream(call("open", path, () -> shared.entry(path).open()));
    }

    @Override
    public void close() {
        // The file system outlives its clients.
    }

    /** Writes a file; what was written is on the DataNodes after a flush. Confined: the simulation's thread. */
    private final class Writer extends OutputStream implements Syncable, StreamCapabilities {
        private final Path path;
        private final SimulatedHdfs.Entry file;
        private final int begunAfter = shared.powerFailures();
        private boolean failed;
        private boolean closed;

        Writer(Path path, SimulatedHdfs.Entry file) {
            this.path = path;
            this.file = file;
        }

        @Override
        public void write(int each) throws IOException {
            write(new byte[] {(byte) each}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            process.requireAlive();
            refuseIfFailed();
            file.write(bytes, offset, length);
        }

        private void refuseIfFailed() throws IOException {
            if (failed || closed || begunAfter != shared.powerFailures()) {
                throw new IOException(path + " failed before, is closed, or has no DataNode any more");
            }
        }

        private void toDataNodes(String operation) throws IOException {
            refuseIfFailed();
            boolean done = false;
            try {
                call(operation, path, () -> {
                    refuseIfFailed();
                    shared.flush(file, operation.equals("hsync"));
                    return path;
                });
                done = true;
            } finally {
                failed |= !done;
            }
        }

        @Override
        public void hflush() throws IOException {
            toDataNodes("hflush");
        }

        @Override
        public void hsync() throws IOException {
            toDataNodes("hsync");
        }

        @Override
        public boolean hasCapability(String capability) {
            return true;
        }

        @Override
        public void close() throws IOException {
            if (closed) {
                return;
            }
            refuseIfFailed();
            call("close", path, () -> {
                refuseIfFailed();
                shared.close(file);
                return path;
            });
            closed = true;
        }
    }
}
