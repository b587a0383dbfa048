// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * An HDFS in memory that all servers share: directories, files with their leases and blocks, and what lease recovery
 * does: it ends the writer, keeps all that was flushed, and perhaps some of what was written and not flushed. The power
 * of its DataNodes may fail; what the NameNode has recorded stays.
 *
 * <p>Confined: the simulation's thread. Servers reach it through {@link SimulatedDfs}.
 */
public final class SimulatedHdfs {
    private final NavigableMap<String, Entry> entries = new TreeMap<>();
    private final Random random;
    private final LongSupplier nanos;
    private boolean fences = true;
    private int powerFailures;
    private long changes; // counts as time: of a file it is only asked whether it is another

    /**
     * An empty file system.
     *
     * @param nanos time in which servers could do something
     */
    public SimulatedHdfs(Random random, LongSupplier nanos) {
        this.random = random;
        this.nanos = nanos;
        entries.put("/", new Entry());
    }

    /** Makes a directory below the root, as an operator does. */
    public void make(String directory) {
        entries.put(directory, new Entry());
    }

    /** Has lease recovery end no writer, to see that this is found. */
    public void fenceNothing() {
        fences = false;
    }

    /**
     * The power of all DataNodes fails and comes back: all streams to them end, and what was not synced is lost, or
     * kept in part.
     *
     * @param toSyncNanos spares what DataNodes have ended by themselves for no longer
     * @return the files of which a block is lost
     */
    public List<String> powerOff(long toSyncNanos) {
        long endedAfter = nanos.getAsLong() - toSyncNanos;
        powerFailures++;
        List<String> damaged = new ArrayList<>();
        entries.forEach((name, file) -> {
            if (!file.directory) {
                file.flushed = file.blocks.powerOff(random, file.flushed, file.closed, endedAfter);
                file.written = file.flushed;
                if (file.blocks.isCorrupt()) {
                    damaged.add(name);
                }
            }
        });
        return damaged;
    }

    /**
     * A server dies. What it was about to sync is left to the page caches of DataNodes: their systems write them within
     * half a minute or so, and nobody may look at these files for much longer.
     *
     * @param toSyncNanos how long servers have to sync what DataNodes have ended
     */
    public void serverDies(long toSyncNanos) {
        long endedAfter = nanos.getAsLong() - toSyncNanos;
        entries.values().forEach(file -> {
            file.blocks.leftToPageCache(file.flushed, endedAfter);
            file.abandoned = file.recovering;
        });
    }

    /** Makes an existing file unreadable. */
    public void lose(String file) {
        Entry lost = entries.get(file);
        if (lost != null) {
            lost.blocks.lose();
        }
    }

    /** Returns the number of power failures. */
    int powerFailures() {
        return powerFailures;
    }

    /** A file, or a directory if it has no bytes. Confined: the simulation's thread. */
    static final class Entry {
        private final boolean directory;
        private final SimulatedBlocks blocks;
        private byte[] bytes = {};
        private int written;
        private int flushed;
        private int recorded; // length of a file that is written again, as the NameNode knows it
        private boolean closed;
        private boolean recovering;
        private boolean abandoned; // a server died while its recovery was under way
        private boolean deleted;
        private long modified;

        private Entry() {
            directory = true;
            closed = true;
            blocks = new SimulatedBlocks(1, false);
        }

        private Entry(int capacity, SimulatedBlocks blocks) {
            directory = false;
            bytes = new byte[capacity];
            this.blocks = blocks;
        }

        void write(byte[] from, int offset, int length) {
            if (written + length > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, written + length));
            }
            System.arraycopy(from, offset, bytes, written, length);
            written += length;
        }

        BytesInput open() {
            return new BytesInput(Arrays.copyOf(bytes, flushed), blocks::requireReadable);
        }

        private void reach(int length) {
            flushed = length;
            blocks.reached(length);
        }

        private long length() {
            return closed ? flushed : Math.max(recorded, blocks.wholeBlocks(flushed));
        }
    }

    private static String name(Path path) {
        return path.toUri().getPath();
    }

    private static String parent(String name) {
        int slash = name.lastIndexOf('/');
        return slash <= 0 ? "/" : name.substring(0, slash);
    }

    private Entry require(String name) throws FileNotFoundException {
        Entry found = entries.get(name);
        if (found == null) {
            throw new FileNotFoundException("no such file: " + name);
        }
        return found;
    }

    boolean exists(Path path) {
        return entries.containsKey(name(path));
    }

    /** Names of all files under a directory. */
    public List<String> files(String directory) {
        return entries.subMap(directory + "/", directory + "0").entrySet().stream()
                .filter(each -> !each.getValue().directory)
                .map(Map.Entry::getKey)
                .toList();
    }

    void makeDirectories(Path path) {
        String name = name(path);
        while (!entries.containsKey(name)) {
            entries.put(name, new Entry());
            name = parent(name);
        }
    }

    Entry create(Path path, long blockBytes, boolean syncsBlocks) throws IOException {
        String name = name(path);
        require(parent(name));
        if (entries.containsKey(name)) {
            throw new FileAlreadyExistsException(name + " is there");
        }
        Entry made = new Entry(256, new SimulatedBlocks(Math.toIntExact(blockBytes), syncsBlocks));
        made.modified = ++changes;
        entries.put(name, made);
        return made;
    }

    /** Opens a file to be written again behind its end. */
    Entry append(Path path, boolean syncsBlocks) throws IOException {
        Entry file = require(name(path));
        if (!file.closed || file.recovering) {
            throw new IOException("somebody else writes " + path);
        }
        file.blocks.requireReadable(0, file.flushed);
        file.blocks.append(syncsBlocks);
        file.written = file.flushed;
        file.recorded = file.flushed;
        file.closed = false;
        return file;
    }

    /** The writer's flush; what it has written is on the DataNodes, unless its lease was taken. */
    void flush(Entry file, boolean syncs) throws IOException {
        if (file.closed || (file.deleted && random.nextBoolean())) {
            throw new IOException("the lease was taken, or the file is gone");
        }
        file.reach(file.written);
        if (syncs) {
            file.blocks.sync(file.flushed);
        }
    }

    /** The writer's close. */
    void close(Entry file) throws IOException {
        if (file.closed) {
            throw new IOException("the lease was taken");
        }
        if (!file.deleted) {
            file.reach(file.written);
            file.blocks.close(file.flushed);
        }
        file.closed = true;
    }

    boolean isClosed(Path path) throws IOException {
        return require(name(path)).closed;
    }

    /** Begins a recovery; false if one is under way. */
    boolean beginRecovery(Path path) throws IOException {
        Entry file = require(name(path));
        boolean begins = !file.closed && !file.recovering;
        file.recovering |= begins;
        return begins;
    }

    /** Ends a recovery: the file is closed from here on. */
    void endRecovery(Entry file) {
        file.recovering = false;
        if (!file.closed && fences) {
            file.reach(file.flushed + random.nextInt(file.written - file.flushed + 1));
            file.written = file.flushed;
            file.blocks.changedByDataNodes(file.flushed, nanos.getAsLong());
            if (file.abandoned) {
                file.blocks.leftToPageCache(file.flushed, Long.MIN_VALUE);
            }
            file.closed = true;
        } else if (!fences) {
            file.reach(file.written);
        }
    }

    Entry entry(Path path) throws IOException {
        return require(name(path));
    }

    /** Returns whether fencing is switched off: then files count as closed although they are not. */
    boolean fencesNothing() {
        return !fences;
    }

    FileStatus status(Path path) throws IOException {
        Entry found = require(name(path));
        return status(path, found);
    }

    private static FileStatus status(Path path, Entry entry) {
        return new FileStatus(entry.length(), entry.directory, 1, 1 << 20, entry.modified, path);
    }

    void touch(Path path, long time) throws IOException {
        require(name(path)).modified = time;
    }

    List<FileStatus> list(Path directory) throws IOException {
        String name = name(directory);
        require(name);
        List<FileStatus> found = new ArrayList<>();
        entries.subMap(name + "/", name + "0").forEach((each, entry) -> {
            if (parent(each).equals(name)) {
                found.add(status(new Path(directory, each.substring(name.length() + 1)), entry));
            }
        });
        return found;
    }

    boolean delete(Path path) {
        String name = name(path);
        if (!entries.containsKey(name)) {
            return false;
        }
        for (String each : new TreeSet<>(entries.subMap(name + "/", name + "0").keySet())) {
            remove(each);
        }
        remove(name);
        return true;
    }

    private void remove(String name) {
        @Nullable Entry gone = entries.remove(name);
        if (gone != null) {
            gone.deleted = true;
        }
    }

    void rename(Path from, Path to, boolean overwrites) throws IOException {
        String old = name(from);
        String name = name(to);
        Entry moved = require(old);
        require(parent(name));
        if (entries.containsKey(name)) {
            if (!overwrites) {
                throw new FileAlreadyExistsException(name + " is there");
            }
            remove(name);
        }
        for (String each : new TreeSet<>(entries.subMap(old + "/", old + "0").keySet())) {
            Entry below = require(each);
            entries.remove(each);
            entries.put(name + each.substring(old.length()), below);
        }
        entries.remove(old);
        entries.put(name, moved);
    }

    void truncate(Path path, long length) throws IOException {
        Entry file = require(name(path));
        if (!file.closed) {
            throw new IOException(path + " is open");
        }
        if (length < file.flushed) {
            file.flushed = (int) length;
            file.written = file.flushed;
            file.blocks.changedByDataNodes(file.flushed, nanos.getAsLong());
        }
    }
}
