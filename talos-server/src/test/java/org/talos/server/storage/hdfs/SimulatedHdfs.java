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
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * An HDFS in memory that all servers share: directories, files with their leases, and what lease recovery does: it ends
 * the writer, keeps all that was flushed, and perhaps some of what was written and not flushed.
 *
 * <p>Confined: the simulation's thread. Servers reach it through {@link SimulatedDfs}.
 */
public final class SimulatedHdfs {
    private final NavigableMap<String, Entry> entries = new TreeMap<>();
    private final Random random;
    private boolean fences = true;
    private long changes; // counts as time: of a file it is only asked whether it is another

    /** An empty file system. */
    public SimulatedHdfs(Random random) {
        this.random = random;
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

    /** A file, or a directory if it has no bytes. Confined: the simulation's thread. */
    static final class Entry {
        private final boolean directory;
        private byte[] bytes = {};
        private int written;
        private int flushed;
        private boolean closed;
        private boolean recovering;
        private boolean deleted;
        private long modified;

        private Entry() {
            directory = true;
            closed = true;
        }

        private Entry(int capacity) {
            directory = false;
            bytes = new byte[capacity];
        }

        void write(byte[] from, int offset, int length) {
            if (written + length > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, written + length));
            }
            System.arraycopy(from, offset, bytes, written, length);
            written += length;
        }

        byte[] visible() {
            return Arrays.copyOf(bytes, flushed);
        }

        private long length() {
            return closed ? flushed : 0; // of an open file only whole blocks count
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

    Entry create(Path path) throws IOException {
        String name = name(path);
        require(parent(name));
        if (entries.containsKey(name)) {
            throw new FileAlreadyExistsException(name + " is there");
        }
        Entry made = new Entry(256);
        made.modified = ++changes;
        entries.put(name, made);
        return made;
    }

    /** The writer's flush; what it has written is on the DataNodes, unless its lease was taken. */
    void flush(Entry file) throws IOException {
        if (file.closed || (file.deleted && random.nextBoolean())) {
            throw new IOException("the lease was taken, or the file is gone");
        }
        file.flushed = file.written;
    }

    /** The writer's close. */
    void close(Entry file) throws IOException {
        if (file.closed) {
            throw new IOException("the lease was taken");
        }
        if (!file.deleted) {
            file.flushed = file.written;
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
            file.flushed += random.nextInt(file.written - file.flushed + 1);
            file.closed = true;
        } else if (!fences) {
            file.flushed = file.written;
        }
    }

    Entry entry(Path path) throws IOException {
        return require(name(path));
    }

    /** Whether fencing is switched off: then files count as closed although they are not. */
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
        file.flushed = (int) Math.min(file.flushed, length);
        file.written = file.flushed;
    }
}
