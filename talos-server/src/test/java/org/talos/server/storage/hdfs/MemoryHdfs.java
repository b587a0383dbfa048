// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
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

/**
 * A file system in memory that behaves like a NameNode as far as the store relies on it: leases, directories that are
 * renamed under their writers, files that are made once. Counts what it is asked, and lets a test stop callers.
 *
 * <p>Thread-safe.
 */
final class MemoryHdfs extends DistributedFileSystem {
    @GuardedBy("this")
    private final TreeMap<String, Node> nodes = new TreeMap<>();

    @GuardedBy("this")
    private final Map<String, Integer> calls = new TreeMap<>();

    private final Map<String, Integer> everFlushed = new TreeMap<>(); // bytes, by the name that a file was made with

    private volatile Consumer<Path> onCreate = path -> {};
    private volatile Consumer<Path> onCreated = path -> {};
    private volatile Consumer<Path> onRecoverLease = path -> {};
    private volatile Consumer<Path> onListed = path -> {};
    private volatile Fault onRename = path -> {};
    private volatile Consumer<Path> onRenamed = path -> {};
    private volatile Fault onSetTimes = path -> {};
    private volatile Fault onFlush = path -> {};
    private volatile Fault onAppend = path -> {};
    private volatile Fault onClose = path -> {};
    private volatile int replicas = 3; // of each file that is being written

    MemoryHdfs() {
        nodes.put("/", new Node(true, 0));
    }

    /** Fault of a call, before it reaches the NameNode. */
    @FunctionalInterface
    interface Fault {
        void call(Path path) throws IOException;
    }

    /** A file or a directory. Guarded by the file system. */
    private static final class Node {
        private final boolean directory;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final long blockBytes;
        private boolean closed;
        private boolean deleted;
        private int flushed; // bytes
        private long time;

        Node(boolean directory, long blockBytes) {
            this.directory = directory;
            this.blockBytes = blockBytes;
        }
    }

    /** Calls of the NameNode so far, by their names. */
    synchronized Map<String, Integer> calls() {
        return new TreeMap<>(calls);
    }

    synchronized int sumOfCalls() {
        return calls.values().stream().mapToInt(each -> each).sum();
    }

    /** Called by each thread that is about to make a file. */
    void onCreate(Consumer<Path> action) {
        onCreate = action;
    }

    /** Called by each thread that has made a file and does not know it yet. */
    void onCreated(Consumer<Path> action) {
        onCreated = action;
    }

    /** Called by each thread whose answer to a listing is under way. */
    void onListed(Consumer<Path> action) {
        onListed = action;
    }

    /** Called by each thread that is about to give a file another name. */
    void onRename(Fault fault) {
        onRename = fault;
    }

    /** Called by each thread that has given a file another name and does not know it yet. */
    void onRenamed(Consumer<Path> action) {
        onRenamed = action;
    }

    /** Called by each thread that is about to flush what it has written. */
    void onFlush(Fault fault) {
        onFlush = fault;
    }

    /** Called by each thread that is about to close a file that it has written. */
    void onClose(Fault fault) {
        onClose = fault;
    }

    /** Called by each thread that is about to touch a file. */
    void onSetTimes(Fault fault) {
        onSetTimes = fault;
    }

    /** Called by each thread that is about to recover a lease. */
    void onRecoverLease(Consumer<Path> action) {
        onRecoverLease = action;
    }

    /** A DataNode leaves, and none takes its place: its replicas of files that are being written have gone. */
    void loseDataNode() {
        replicas = 2;
    }

    /** Returns how many bytes of a file its DataNodes are known to have; 0 if the file is missing. */
    synchronized int flushed(Path file) {
        Node node = nodes.get(key(file));
        return node == null ? 0 : node.flushed;
    }

    /** Returns how many bytes of each file below a directory its DataNodes ever had, including deleted files. */
    synchronized List<Integer> everFlushed(String directory) {
        return everFlushed.entrySet().stream()
                .filter(each -> each.getKey().startsWith(directory + "/"))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** The names of all files below a directory. */
    synchronized List<String> files(String directory) {
        return nodes.entrySet().stream()
                .filter(each -> each.getKey().startsWith(directory + "/") && !each.getValue().directory)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The NameNode closes a file whose writer has been silent for too long. */
    synchronized void expireLease(String file) throws FileNotFoundException {
        node(new Path(file)).closed = true;
    }

    @GuardedBy("this")
    private void count(String call) {
        calls.merge(call, 1, Integer::sum);
    }

    private static String key(Path path) {
        return path.toUri().getPath();
    }

    @GuardedBy("this")
    private Node node(Path path) throws FileNotFoundException {
        Node node = nodes.get(key(path));
        if (node == null) {
            throw new FileNotFoundException(key(path));
        }
        return node;
    }

    @Override
    public URI getUri() {
        return URI.create("hdfs://memory");
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
        onCreate.accept(path);
        Node made = new Node(false, blockSize);
        synchronized (this) {
            count("create");
            node(path.getParent());
            if (nodes.putIfAbsent(key(path), made) != null) {
                throw new FileAlreadyExistsException(key(path));
            }
        }
        onCreated.accept(path);
        return new ReplicatedOutput(new Out(path, made), () -> replicas);
    }

    /** Called by each thread that is about to open a file to write it further. */
    void onAppend(Fault fault) {
        onAppend = fault;
    }

    @Override
    public synchronized FSDataOutputStream append(
            Path path, EnumSet<CreateFlag> flags, int bufferSize, @Nullable Progressable progress) throws IOException {
        count("append");
        onAppend.call(path);
        Node written = node(path);
        if (!written.closed) {
            throw new IOException("somebody else writes " + path);
        }
        written.closed = false;
        return new ReplicatedOutput(new Out(path, written), () -> replicas);
    }

    /** Output of a file's only writer, until somebody takes the lease. */
    private final class Out extends OutputStream implements Syncable, StreamCapabilities {
        private final Path path;
        private final Node node;
        private volatile boolean broken; // a stream takes nothing more behind a flush that failed

        Out(Path path, Node node) {
            this.path = path;
            this.node = node;
        }

        @Override
        public void write(int each) throws IOException {
            write(new byte[] {(byte) each}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            synchronized (MemoryHdfs.this) {
                requireThere();
                if (node.closed) {
                    throw new IOException("the lease was taken");
                }
                node.bytes.write(bytes, from, length);
            }
        }

        @GuardedBy("MemoryHdfs.this")
        private void requireThere() throws IOException {
            if (node.deleted) {
                throw new FileNotFoundException("a file that is written has been deleted");
            }
            if (broken) {
                throw new IOException("a flush has failed");
            }
        }

        @Override
        public void hflush() throws IOException {
            try {
                onFlush.call(path);
            } catch (IOException e) {
                broken = true;
                throw e;
            }
            write(new byte[0], 0, 0);
            synchronized (MemoryHdfs.this) {
                node.flushed = node.bytes.size();
                everFlushed.put(key(path), node.flushed);
            }
        }

        @Override
        public void hsync() throws IOException {
            hflush();
        }

        @Override
        public boolean hasCapability(String capability) {
            return true;
        }

        @Override
        public void close() throws IOException {
            onClose.call(path);
            synchronized (MemoryHdfs.this) {
                requireThere();
                node.closed = true;
            }
        }
    }

    @Override
    public synchronized boolean mkdirs(Path path) {
        count("mkdirs");
        for (Path each = path; each != null; each = each.getParent()) {
            nodes.putIfAbsent(key(each), new Node(true, 0));
        }
        return true;
    }

    @Override
    public synchronized boolean exists(Path path) {
        count("exists");
        return nodes.containsKey(key(path));
    }

    @Override
    public synchronized FileStatus getFileStatus(Path path) throws IOException {
        count("getFileStatus");
        return status(path, node(path));
    }

    private static FileStatus status(Path path, Node node) {
        return new FileStatus(node.bytes.size(), node.directory, 1, node.blockBytes, node.time, path);
    }

    @Override
    public void setTimes(Path path, long time, long accessTime) throws IOException {
        onSetTimes.call(path);
        synchronized (this) {
            count("setTimes");
            node(path).time = time;
        }
    }

    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path directory) throws IOException {
        List<FileStatus> found = new ArrayList<>();
        synchronized (this) {
            count("list");
            node(directory);
            below(directory).forEach((name, node) -> {
                if (name.lastIndexOf('/') == key(directory).length()) {
                    found.add(status(new Path(name), node));
                }
            });
        }
        onListed.accept(directory);
        Iterator<FileStatus> each = found.iterator();
        return new RemoteIterator<>() {
            @Override
            public boolean hasNext() {
                return each.hasNext();
            }

            @Override
            public FileStatus next() {
                return each.next();
            }
        };
    }

    @Override
    public synchronized boolean truncate(Path path, long length) throws IOException {
        count("truncate");
        ByteArrayOutputStream bytes = node(path).bytes;
        byte[] all = bytes.toByteArray();
        bytes.reset();
        bytes.write(all, 0, Math.toIntExact(length));
        return true;
    }

    @GuardedBy("this")
    private SortedMap<String, Node> below(Path directory) {
        return nodes.subMap(key(directory) + "/", key(directory) + "0"); // '0' follows '/'
    }

    @Override
    public synchronized FSDataInputStream open(Path path, int bufferSize) throws IOException {
        count("open");
        return new FSDataInputStream(new BytesInput(node(path).bytes.toByteArray()));
    }

    @Override
    public synchronized boolean delete(Path path, boolean recursive) {
        count("delete");
        below(path).values().forEach(each -> each.deleted = true);
        below(path).clear();
        Node deleted = nodes.remove(key(path));
        if (deleted != null) {
            deleted.deleted = true;
        }
        return deleted != null;
    }

    @Override
    public void rename(Path from, Path to, Options.Rename... options) throws IOException {
        onRename.call(from);
        move(from, to, options);
        onRenamed.accept(from);
    }

    private synchronized void move(Path from, Path to, Options.Rename... options) throws IOException {
        count("rename");
        Node moved = node(from);
        if (nodes.containsKey(key(to)) && options[0] == Options.Rename.NONE) {
            throw new FileAlreadyExistsException(key(to));
        }
        Map<String, Node> inside = new TreeMap<>(below(from));
        below(from).clear();
        nodes.remove(key(from));
        nodes.put(key(to), moved);
        inside.forEach(
                (name, node) -> nodes.put(key(to) + name.substring(key(from).length()), node));
    }

    @Override
    public synchronized boolean isFileClosed(Path path) throws IOException {
        count("isFileClosed");
        return node(path).closed;
    }

    @Override
    public boolean recoverLease(Path path) throws IOException {
        onRecoverLease.accept(path);
        synchronized (this) {
            count("recoverLease");
            node(path).closed = true;
            return true;
        }
    }

    @Override
    public void close() {
        // What it holds outlives the clients.
    }
}
