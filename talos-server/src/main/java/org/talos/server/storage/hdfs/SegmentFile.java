// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ipc.RemoteException;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.Durability;
import org.talos.server.memory.Buffers;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.hdfs.client.WrittenFile;
import org.talos.server.storage.journal.JournalFencedException;
import org.talos.server.storage.journal.SegmentDeletedException;
import org.talos.server.storage.journal.StoredFile;

/**
 * A segment that this server writes. It is one file. After a failed write, if journals have its bytes, another file
 * continues where the flushed bytes end. Nothing is ever appended to a closed file.
 *
 * <p>Thread-safe for reads; writes are confined to one thread at a time.
 */
final class SegmentFile implements StoredFile {
    private final Hdfs hdfs;
    private final ReadStreams streams;
    private final HdfsPaths paths;
    private final SegmentName name;
    private final long session;
    private final int replication;
    private final Durability durability;
    private @Nullable FlushedFile open;
    private volatile List<Part> parts = List.of();
    private volatile long length; // flushed
    private final Set<Path> abandoned = new LinkedHashSet<>(); // not synced since, and possibly not closed
    private boolean closed;

    private SegmentFile(Maker maker, SegmentName name, long session, int replication, Durability durability) {
        hdfs = maker.hdfs;
        streams = maker.streams;
        paths = maker.paths;
        this.name = name;
        this.session = session;
        this.replication = replication;
        this.durability = durability;
    }

    /**
     * Creates the files of new segments. Immutable.
     *
     * @param replication copies of a segment that asks for no other number
     * @param durability of a segment that asks for no other
     */
    record Maker(Hdfs hdfs, ReadStreams streams, HdfsPaths paths, int replication, Durability durability) {
        Durability durability(SegmentOptions options) {
            return options.durability().orElse(durability);
        }

        /**
         * Makes a segment's first file.
         *
         * @param session in whose journals its bytes stand; 0 for none
         * @throws FileAlreadyExistsException another server has created it, or has made sure that it is never created
         */
        SegmentFile make(SegmentName name, long session, SegmentOptions options) throws IOException {
            int copies = options.replication() == 0 ? replication : options.replication();
            SegmentFile file = new SegmentFile(this, name, session, copies, durability(options));
            FlushedFile first = file.begin(paths.first(name), 0);
            boolean made = false;
            try {
                first.flush(file.durability); // the server that recovers it must know the session
                made = true;
            } finally {
                if (!made) {
                    file.abandon();
                    hdfs.deleteVain(first.path());
                }
            }
            return file;
        }
    }

    private FlushedFile begin(Path path, long position) throws IOException {
        WrittenFile out = hdfs.create(path, replication);
        FlushedFile begun = new FlushedFile(hdfs, path, out);
        boolean whole = false;
        try {
            begun.write(List.of(new PartHeader(session, position).encode()));
            whole = true;
        } finally {
            if (!whole) {
                begun.abandon();
            }
        }
        open = begun;
        return begun;
    }

    /** When this returns, every replica has the bytes: in its memory, or on its disk, as the durability requires. */
    @Override
    public void write(long position, List<ByteBuffer> bytes) throws IOException {
        try {
            append(position, bytes);
        } catch (IOException e) {
            throw isRefused(e) ? missing(e) : e;
        }
    }

    /**
     * Returns whether the NameNode has refused a call. It has no class of its own for a block whose file was deleted.
     */
    private static boolean isRefused(IOException e) {
        return e instanceof FileNotFoundException || e.getCause() instanceof RemoteException;
    }

    /** Returns the refusal, or that the segment was deleted: if it was not, its first file exists. */
    private IOException missing(IOException e) throws IOException {
        return hdfs.exists(paths.first(name))
                ? e
                : new SegmentDeletedException("segment " + name + " has been deleted", e);
    }

    private void append(long position, List<ByteBuffer> bytes) throws IOException {
        if (position != length || closed) {
            throw new IOException("segment " + name + " is written at " + position + " (expected: " + length + ")");
        }
        FlushedFile current = open;
        if (current == null || current.hasLostReplicas()) {
            endPart();
            current = beginAgain();
        }
        boolean flushed = false;
        try {
            current.write(bytes);
            current.flush(durability);
            flushed = true;
        } finally {
            if (!flushed) {
                endPart();
            }
        }
        grow(current.path(), position + Buffers.bytes(bytes));
    }

    private void endPart() {
        FlushedFile current = open;
        if (current != null) {
            open = null;
            abandoned.add(current.path());
            current.abandon(); // its acknowledged bytes are flushed: it may be closed later
        }
    }

    /**
     * Continues in a file of its own, unless another server has taken the journals, and perhaps the segment. A new
     * owner lists the files once, so bytes that were acknowledged from such a file alone could be missed: without
     * journals, the first file is the only one.
     */
    private FlushedFile beginAgain() throws IOException {
        if (session == 0) {
            throw new IOException("segment " + name + " has a file that is no longer on all its DataNodes");
        }
        if (!hdfs.exists(paths.session(session))) {
            throw new JournalFencedException("segment " + name + " may have another owner", null);
        }
        Path path = paths.rolled(name, length);
        hdfs.delete(path); // if it was never used: nothing in it counts, and it may never be closed
        return begin(path, length);
    }

    private void grow(Path path, long end) {
        List<Part> grown = new ArrayList<>(parts);
        Part last = grown.isEmpty() ? null : grown.get(grown.size() - 1);
        if (last != null && last.path().equals(path)) {
            grown.set(grown.size() - 1, new Part(path, last.from(), end));
        } else {
            grown.add(new Part(path, length, end));
        }
        parts = List.copyOf(grown);
        length = end;
    }

    @Override
    public int read(long position, ByteBuffer target) throws IOException {
        long flushed = length;
        return Part.read(parts, streams, position, target, flushed);
    }

    /**
     * Each write has its required durability. But a client that closes an earlier file after a failed write may add
     * unsynced bytes to its last block.
     */
    @Override
    public void sync() throws IOException {
        for (Path path : List.copyOf(abandoned)) {
            if (path.equals(paths.first(name))
                    || parts.stream().anyMatch(part -> part.path().equals(path))) {
                hdfs.fenceAndSync(path);
            }
            abandoned.remove(path);
        }
    }

    /** Syncs the bytes of the last block, which replicas may have only in memory. Full blocks are synced already. */
    @Override
    public void syncToDisk() throws IOException {
        FlushedFile current = open;
        if (current == null || durability == Durability.FSYNC) {
            return;
        }
        boolean synced = false;
        try {
            current.flush(Durability.FSYNC);
            synced = true;
        } catch (IOException e) {
            throw isRefused(e) ? missing(e) : e;
        } finally {
            if (!synced) {
                endPart();
            }
        }
    }

    @Override
    public long size() {
        return length;
    }

    /** Only flushed bytes count, and only durable ones are written: the file never has too many. */
    @Override
    public void truncate(long to) throws IOException {
        throw new IOException("segment " + name + " has " + length + " bytes (expected: " + to + " or fewer)");
    }

    /** Closes all files of the segment: their length in the file system is known from here on. */
    @Override
    public void close() throws IOException {
        FlushedFile current = open;
        closed = true;
        open = null;
        try {
            closeAll(current);
        } catch (IOException e) {
            throw isRefused(e) ? missing(e) : e;
        }
    }

    private void closeAll(@Nullable FlushedFile current) throws IOException {
        if (current != null) {
            abandoned.add(current.path()); // if this fails and is tried again
            current.close();
            abandoned.remove(current.path());
        }
        sync(); // an earlier one may still be open
        if (current == null) {
            hdfs.deleteVain(paths.rolled(name, length)); // the new owner of the segment would wait for it
        }
    }

    @Override
    public void abandon() {
        closed = true;
        endPart();
    }
}
