// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.LogConfig;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentRows;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournalReplay;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.storage.journal.StoredFile;

/**
 * A disk in memory that forgets what a disk may forget: at power-off the names and bytes that were not synced are lost,
 * or kept in part. A sync that fails loses what it was to write, and the next one succeeds without it.
 *
 * <p>Thread-safe.
 */
public final class LosingDisk implements Disk {
    /** Sees each operation before it is done, and may fail or stop it. */
    public interface Fault {
        /** Called before the operation. */
        void before(String operation, Path path) throws IOException;
    }

    private static final class Node {
        private byte[] bytes = new byte[0];
        private byte[] durable = new byte[0];
        private final List<Change> unsynced = new ArrayList<>();
    }

    /** Bytes at a position; none: cut there. */
    private static final class Change {
        private final long position;
        private final byte @Nullable [] bytes;

        Change(long position, byte @Nullable [] bytes) {
            this.position = position;
            this.bytes = bytes;
        }
    }

    @GuardedBy("this")
    private Map<Path, Node> names = new LinkedHashMap<>(); // in order: a seed means the same each time

    @GuardedBy("this")
    private Map<Path, Node> durableNames = new LinkedHashMap<>();

    @GuardedBy("this")
    private final Set<Path> locks = new HashSet<>();

    @GuardedBy("this")
    private int generation;

    @GuardedBy("this")
    private int powerFailures;

    @GuardedBy("this")
    private int attachments;

    @GuardedBy("this")
    private long left = Long.MAX_VALUE;

    private volatile Fault fault = (operation, path) -> {};

    /** A disk with nothing but the directory it is mounted at. */
    public LosingDisk(Path mounted) {
        for (Path at = mounted; at != null; at = at.getParent()) {
            names.put(at, new Node());
        }
        durableNames = new LinkedHashMap<>(names);
    }

    /** Opens a store in a directory of this disk. */
    public JournaledSegmentStore open(Path root, LogConfig config, Ticker ticker, Threads threads, SegmentRows rows)
            throws StorageException {
        return LocalSegmentStore.open(root, config, ticker, (bytes, write, sync) -> {}, rows, this, threads);
    }

    /** Sets who sees each operation from now on. */
    public void fault(Fault next) {
        fault = next;
    }

    void heal() {
        fault = (operation, path) -> {};
    }

    @Override
    public synchronized Optional<String> lifeOf(Path path) {
        return Optional.of("life " + powerFailures);
    }

    @Override
    public synchronized Optional<String> attachmentOf(Path path) {
        return Optional.of("disk/" + attachments);
    }

    /** After so many more operations all fail, until the power comes back. */
    public synchronized void failAfter(long operations) {
        left = operations;
    }

    /** Returns whether all operations fail. */
    public synchronized boolean isOff() {
        return left <= 0;
    }

    /** The process is gone, its files are closed and its locks free; what was not synced is still there. */
    public synchronized void processEnds() {
        generation++;
        left = Long.MAX_VALUE;
        heal();
        locks.clear();
    }

    /** The power fails and comes back. Every second change of a kind that was not synced is lost, or torn. */
    public synchronized void powerOff(Random random) {
        powerFailures++;
        loseUnsynced(random);
    }

    /** Loses the same as {@link #powerOff}, while the system stays up: the disk is detached and attached again. */
    synchronized void detach(Random random) {
        attachments++;
        loseUnsynced(random);
    }

    @GuardedBy("this")
    private void loseUnsynced(Random random) {
        processEnds();
        if (random.nextBoolean()) {
            names.forEach((path, node) -> {
                if (random.nextBoolean() && path.getParent() != null && durableNames.containsKey(path.getParent())) {
                    durableNames.put(path, node);
                }
            });
            Set<Path> kept = names.keySet();
            durableNames.keySet().removeIf(path -> !kept.contains(path) && random.nextBoolean());
        }
        names = new LinkedHashMap<>(durableNames);
        for (Node node : new LinkedHashSet<>(names.values())) {
            for (Change change : node.unsynced) {
                if (random.nextBoolean()) {
                    node.durable = apply(node.durable, random.nextBoolean() ? change : torn(change, random));
                }
            }
            node.unsynced.clear();
            node.bytes = node.durable;
        }
    }

    /**
     * Sometimes somebody deletes the file of a segment while no server runs: one of which the journal has all, if there
     * is one.
     */
    public void loseSegment(Path root, boolean faults, Random random, Consumer<String> notes) throws StorageException {
        if (!faults || random.nextInt(3) > 0) {
            return;
        }
        try {
            List<Path> found = wholeInJournal(new DiskPaths(root));
            if (!found.isEmpty()) {
                Path lost = found.get(random.nextInt(found.size()));
                deleteIfExists(lost);
                syncDirectory(DiskPaths.parent(lost));
                notes.accept("LOST: " + lost.getFileName());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Path> wholeInJournal(DiskPaths paths) throws IOException, StorageException {
        Map<SegmentName, Boolean> whole = new LinkedHashMap<>();
        JournalReplay.Target target = item -> whole.merge(
                item.segment(), item.position() == 0 && !item.cut(), (before, further) -> before && !item.cut());
        new JournalReplay(new LocalJournal(this, paths, false), target).run();
        return whole.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(each -> paths.segment(each.getKey()))
                .filter(this::exists)
                .toList();
    }

    private static Change torn(Change change, Random random) {
        byte[] bytes = change.bytes;
        if (bytes == null || bytes.length == 0) {
            return change;
        }
        int from = random.nextInt(bytes.length);
        int to = from + random.nextInt(bytes.length - from) + 1;
        return new Change(change.position + from, Arrays.copyOfRange(bytes, from, to));
    }

    private static byte[] apply(byte[] old, Change change) {
        int position = Math.toIntExact(change.position);
        if (change.bytes == null) {
            return Arrays.copyOf(old, Math.min(old.length, position));
        }
        byte[] bytes = Arrays.copyOf(old, Math.max(old.length, position + change.bytes.length));
        System.arraycopy(change.bytes, 0, bytes, position, change.bytes.length);
        return bytes;
    }

    private void before(String operation, Path path) throws IOException {
        synchronized (this) {
            if (left-- <= 0) {
                throw new IOException("no power");
            }
        }
        fault.before(operation, path);
    }

    @Override
    public StoredFile create(Path path) throws IOException {
        before("create", path);
        StoredFile file;
        synchronized (this) {
            if (names.containsKey(path)) {
                throw new FileAlreadyExistsException(path.toString());
            }
            if (!names.containsKey(DiskPaths.parent(path))) {
                throw new NoSuchFileException(path.toString());
            }
            Node node = new Node();
            names.put(path, node);
            file = new Handle(path, node, generation);
        }
        syncDirectory(DiskPaths.parent(path));
        return file;
    }

    @Override
    public synchronized StoredFile open(Path path) throws IOException {
        return new Handle(path, node(path), generation);
    }

    @GuardedBy("this")
    private Node node(Path path) throws IOException {
        Node node = names.get(path);
        if (node == null) {
            throw new NoSuchFileException(path.toString());
        }
        return node;
    }

    @Override
    public void createDirectory(Path path) throws IOException {
        before("createDirectory", path);
        synchronized (this) {
            node(DiskPaths.parent(path));
            names.putIfAbsent(path, new Node());
        }
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        before("syncDirectory", directory);
        synchronized (this) {
            node(directory);
            Set<Path> kept = names.keySet();
            durableNames.keySet().removeIf(path -> directory.equals(path.getParent()) && !kept.contains(path));
            names.forEach((path, node) -> {
                if (directory.equals(path.getParent())) {
                    durableNames.put(path, node);
                }
            });
        }
    }

    @Override
    public synchronized boolean exists(Path path) {
        return names.containsKey(path);
    }

    @Override
    public synchronized boolean isDirectory(Path path) {
        return names.containsKey(path) && !String.valueOf(path.getFileName()).contains(".");
    }

    @Override
    public void deleteIfExists(Path path) throws IOException {
        before("delete", path);
        synchronized (this) {
            names.remove(path);
        }
    }

    @Override
    public void move(Path from, Path to) throws IOException {
        before("move", to);
        synchronized (this) {
            names.put(to, node(from));
            names.remove(from);
        }
    }

    @Override
    public synchronized Optional<Closeable> lock(Path path) {
        int mine = generation;
        return locks.add(path) ? Optional.of(() -> unlock(path, mine)) : Optional.empty();
    }

    private synchronized void unlock(Path path, int lockedIn) {
        if (lockedIn == generation) {
            locks.remove(path);
        }
    }

    @Override
    public synchronized List<Path> list(Path directory) {
        return names.keySet().stream()
                .filter(path -> directory.equals(path.getParent()))
                .sorted()
                .toList();
    }

    /** The bytes of a file as a reader sees them. */
    synchronized byte[] bytes(Path path) {
        return Objects.requireNonNull(names.get(path)).bytes.clone();
    }

    /** Damages a file behind everyone's back. */
    synchronized void overwrite(Path path, byte[] bytes) {
        Node node = names.computeIfAbsent(path, made -> new Node());
        durableNames.put(path, node);
        node.bytes = bytes;
        node.durable = bytes;
        node.unsynced.clear();
    }

    private final class Handle implements StoredFile {
        private final Path path;
        private final Node node;
        private final int openedIn;
        private volatile boolean closed;

        Handle(Path path, Node node, int openedIn) {
            this.path = path;
            this.node = node;
            this.openedIn = openedIn;
        }

        private void check(String operation) throws IOException {
            before(operation, path);
            synchronized (LosingDisk.this) {
                if (closed || openedIn != generation) {
                    throw new ClosedChannelException();
                }
            }
        }

        private void change(Change change) {
            synchronized (LosingDisk.this) {
                node.bytes = apply(node.bytes, change);
                node.unsynced.add(change);
            }
        }

        @Override
        public void write(long position, List<ByteBuffer> bytes) throws IOException {
            ByteBuffer all = ByteBuffer.allocate(
                    bytes.stream().mapToInt(ByteBuffer::remaining).sum());
            bytes.forEach(each -> all.put(each.duplicate()));
            try {
                check("write");
            } catch (IOException e) {
                if (!closed) {
                    change(new Change(position, Arrays.copyOf(all.array(), all.capacity() / 2)));
                }
                throw e;
            }
            change(new Change(position, all.array()));
        }

        @Override
        public int read(long position, ByteBuffer target) throws IOException {
            check("read");
            synchronized (LosingDisk.this) {
                int length = (int) Math.max(0, Math.min(target.remaining(), node.bytes.length - position));
                if (length > 0) {
                    target.put(node.bytes, (int) position, length);
                }
                return length;
            }
        }

        @Override
        public void sync() throws IOException {
            try {
                check("sync");
            } catch (IOException e) {
                synchronized (LosingDisk.this) {
                    node.unsynced.clear();
                }
                throw e;
            }
            synchronized (LosingDisk.this) {
                for (Change change : node.unsynced) {
                    node.durable = apply(node.durable, change);
                }
                node.unsynced.clear();
            }
        }

        @Override
        public long size() throws IOException {
            check("size");
            synchronized (LosingDisk.this) {
                return node.bytes.length;
            }
        }

        @Override
        public void truncate(long length) throws IOException {
            check("truncate");
            change(new Change(length, null));
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
