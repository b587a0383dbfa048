// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rocksdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;

/**
 * The store of a server that stands alone, in one RocksDB directory: each write is synced before it returns. A stored
 * value is 8 bytes of version, big-endian, then the caller's bytes.
 *
 * <p>Writers of one row exclude each other by one of {@value #STRIPES} locks; RocksDB shares a sync among writers under
 * different locks. An unsynced write is not visible: RocksDB shows a write after its log is synced.
 *
 * <p>Thread-safe.
 */
public final class RocksDbMetadataStore implements MetadataStore {
    private static final FileAttribute<Set<PosixFilePermission>> OWNERS_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final int STRIPES = 64;

    private final Database database;
    private final @Nullable LastWrite lastWrite; // if it is noted
    private final AtomicLong lastVersion;
    private final long versionLimit;
    private final Object[] stripes = Stream.generate(Object::new).limit(STRIPES).toArray();
    private final ReadWriteLock life = new ReentrantReadWriteLock(); // calls take the read lock, close the write lock
    private boolean closed;

    private RocksDbMetadataStore(Database database, Incarnation incarnation, @Nullable LastWrite lastWrite) {
        this.database = database;
        this.lastWrite = lastWrite;
        this.lastVersion = new AtomicLong(incarnation.firstVersion() - 1);
        this.versionLimit = incarnation.lastVersion();
    }

    /**
     * Loads RocksDB's native library, unless it is loaded already. Otherwise the first call that opens a database loads
     * it from the directory for temporary files.
     *
     * @param directories into which it may be unpacked, one or more. The first that allows it is used
     * @throws MetadataException UNAVAILABLE: no directory allows it
     */
    public static void loadLibrary(List<Path> directories) throws MetadataException {
        NativeLibrary.load(directories);
    }

    /**
     * Opens the directory, or creates it, for the owner alone.
     *
     * @throws MetadataException UNAVAILABLE: the directory is in use or cannot be read; CORRUPT: acknowledged rows are
     *     damaged; UNKNOWN_FORMAT: another version of this program wrote it
     */
    public static RocksDbMetadataStore open(Path directory) throws MetadataException {
        try {
            Files.createDirectories(directory, OWNERS_ALONE); // RocksDB's own files have the process' umask
        } catch (IOException e) {
            throw new MetadataException(
                    Reason.UNAVAILABLE, Effect.NONE, "cannot create the metadata directory " + directory, e);
        }
        Database database = Database.open(directory);
        try {
            return new RocksDbMetadataStore(database, Incarnation.begin(database), null);
        } catch (MetadataException | RuntimeException | Error e) {
            database.close();
            throw e;
        }
    }

    /**
     * Like {@link #open(Path)}, but refuses a database that is missing or lacks its last writes, by a note of them
     * beside the directory. It changes nothing before that check, so that lost files may be put back. Without a note
     * the database is accepted as it is, and gets one.
     *
     * @param note a file outside of the directory
     * @throws MetadataException also CORRUPT: the database has lost acknowledged writes
     */
    public static RocksDbMetadataStore open(Path directory, Path note) throws MetadataException {
        try {
            refuseIfShort(directory, LastWrite.read(note));
            RocksDbMetadataStore unnoted = open(directory);
            try {
                LastWrite lastWrite = LastWrite.open(note);
                lastWrite.reached(unnoted.database.lastWrite());
                lastWrite.sync();
                return new RocksDbMetadataStore(unnoted, lastWrite);
            } catch (IOException | RuntimeException | Error e) {
                unnoted.close();
                throw e;
            }
        } catch (IOException e) {
            throw new MetadataException(
                    Reason.UNAVAILABLE, Effect.NONE, note + " cannot be used: " + e.getMessage(), e);
        }
    }

    private RocksDbMetadataStore(RocksDbMetadataStore unnoted, LastWrite lastWrite) {
        database = unnoted.database;
        lastVersion = unnoted.lastVersion;
        versionLimit = unnoted.versionLimit;
        this.lastWrite = lastWrite;
    }

    /**
     * Opens a database that no server has to look at its rows, and changes nothing: every write fails.
     *
     * @param note as of {@link #open(Path, Path)}
     * @throws MetadataException as of {@link #open(Path, Path)}
     */
    public static RocksDbMetadataStore openReadOnly(Path directory, Path note) throws MetadataException {
        try {
            refuseIfShort(directory, LastWrite.read(note));
        } catch (IOException e) {
            throw new MetadataException(
                    Reason.UNAVAILABLE, Effect.NONE, note + " cannot be read: " + e.getMessage(), e);
        }
        Database database = Database.openReadOnly(directory);
        try {
            return new RocksDbMetadataStore(database, Incarnation.last(database), null);
        } catch (MetadataException | RuntimeException | Error e) {
            database.close();
            throw e;
        }
    }

    /**
     * Refuses a database that does not have a write that was noted.
     *
     * @throws MetadataException CORRUPT: it is missing, or lacks the write
     */
    static void refuseIfShort(Path directory, OptionalLong noted) throws MetadataException {
        if (noted.isEmpty()) {
            return;
        }
        String todo = ". Nothing was changed. Restore the missing files, or the whole data directory from one copy: "
                + "docs/operations.md, 'A part that is missing'";
        if (!Files.exists(directory.resolve("CURRENT"))) {
            throw new MetadataException(
                    Reason.CORRUPT, Effect.NONE, "the metadata directory " + directory + " is missing" + todo);
        }
        long found = Database.lastWriteIn(directory);
        if (found < noted.getAsLong()) {
            throw new MetadataException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    "the metadata directory " + directory + " has lost acknowledged writes: it ends with write " + found
                            + " (expected: " + noted.getAsLong() + " or later)" + todo);
        }
    }

    private void written() {
        if (lastWrite != null) {
            lastWrite.reached(database.lastWrite());
        }
    }

    @Override
    public Optional<Row> get(RowKey key) throws MetadataException {
        Lock open = enter();
        try {
            byte @Nullable [] stored = database.get(key.bytes());
            return stored == null ? Optional.empty() : Optional.of(row(key, stored));
        } catch (RocksDBException e) {
            throw failure("get", key, Effect.NONE, e);
        } finally {
            open.unlock();
        }
    }

    @Override
    public List<Row> scan(RowKey prefix, int limit) throws MetadataException {
        return rows(prefix, prefix, true, limit, RocksIterator::value);
    }

    @Override
    public List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException {
        return rowsAfter(prefix, after, limit, RocksIterator::value);
    }

    @Override
    public List<Row> scanBeginnings(RowKey prefix, RowKey after, int limit, int valueBytes) throws MetadataException {
        return rowsAfter(prefix, after, limit, at -> beginning(at, Long.BYTES + valueBytes));
    }

    /** Returns the first bytes of the stored value, or all of a shorter one. */
    private static byte[] beginning(RocksIterator at, int bytes) {
        byte[] stored = new byte[bytes];
        int length = at.value(stored); // of all that is stored
        return length < bytes ? Arrays.copyOf(stored, length) : stored;
    }

    /** Reads the row at an iterator: its version and its value, or their beginning. */
    @FunctionalInterface
    private interface StoredBytes {
        byte[] of(RocksIterator at);
    }

    private List<Row> rowsAfter(RowKey prefix, RowKey after, int limit, StoredBytes stored) throws MetadataException {
        return after.compareTo(prefix) < 0
                ? rows(prefix, prefix, true, limit, stored)
                : rows(prefix, after, false, limit, stored);
    }

    private List<Row> rows(RowKey prefix, RowKey from, boolean inclusive, int limit, StoredBytes stored)
            throws MetadataException {
        if (limit < 1) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: 1 or more)");
        }
        Lock open = enter();
        try (RocksIterator at = database.iterator()) {
            List<Row> rows = new ArrayList<>();
            for (at.seek(from.bytes()); at.isValid() && rows.size() < limit; at.next()) {
                RowKey key = key(at.key());
                if (!key.startsWith(prefix)) {
                    break;
                }
                if (inclusive || !key.equals(from)) {
                    rows.add(row(key, stored.of(at)));
                }
            }
            at.status(); // a failed iterator is invalid, too, as one at its end
            return rows;
        } catch (RocksDBException e) {
            throw failure("scan", prefix, Effect.NONE, e);
        } finally {
            open.unlock();
        }
    }

    @Override
    public OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException {
        Lock open = enter();
        try {
            byte[] bytes = key.bytes();
            synchronized (stripe(key)) {
                if (version(key, bytes) != expectedVersion) {
                    return OptionalLong.empty();
                }
                long version = nextVersion();
                byte[] stored = ByteBuffer.allocate(Long.BYTES + value.length)
                        .putLong(version)
                        .put(value)
                        .array();
                database.put(bytes, stored);
                written();
                return OptionalLong.of(version);
            }
        } catch (RocksDBException e) {
            throw failure("write", key, Database.effectOfWrite(e), e);
        } finally {
            open.unlock();
        }
    }

    @Override
    public boolean compareAndDelete(RowKey key, long expectedVersion) throws MetadataException {
        Lock open = enter();
        try {
            byte[] bytes = key.bytes();
            synchronized (stripe(key)) {
                long version = version(key, bytes);
                if (version == 0 || version != expectedVersion) {
                    return false;
                }
                database.delete(bytes);
                written();
                return true;
            }
        } catch (RocksDBException e) {
            throw failure("delete", key, Database.effectOfWrite(e), e);
        } finally {
            open.unlock();
        }
    }

    @Override
    public void close() {
        life.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                database.close();
                if (lastWrite != null) {
                    lastWrite.close();
                }
            }
        } finally {
            life.writeLock().unlock();
        }
    }

    /** Keeps the database open: its memory is native, and a call after close would crash the process. */
    private Lock enter() throws MetadataException {
        Lock open = life.readLock();
        open.lock();
        if (closed) {
            open.unlock();
            throw new MetadataException(Reason.UNAVAILABLE, Effect.NONE, "the metadata store is closed");
        }
        return open;
    }

    private Object stripe(RowKey key) {
        return stripes[Math.floorMod(key.hashCode(), STRIPES)];
    }

    /** The row's version, 0 for none. */
    private long version(RowKey key, byte[] bytes) throws MetadataException {
        try {
            byte @Nullable [] stored = database.get(bytes);
            return stored == null ? 0 : row(key, stored).version();
        } catch (RocksDBException e) {
            throw failure("get", key, Effect.NONE, e);
        }
    }

    private long nextVersion() throws MetadataException {
        long version = lastVersion.incrementAndGet();
        if (version > versionLimit) {
            throw new MetadataException(
                    Reason.UNAVAILABLE, Effect.NONE, "this opening has used up its versions: restart the server");
        }
        return version;
    }

    private static Row row(RowKey key, byte[] stored) throws MetadataException {
        if (stored.length < Long.BYTES) {
            throw new MetadataException(Reason.CORRUPT, Effect.NONE, "row " + key + " has no version");
        }
        ByteBuffer buffer = ByteBuffer.wrap(stored);
        long version = buffer.getLong();
        byte[] value = new byte[buffer.remaining()];
        buffer.get(value);
        return new Row(key, version, value);
    }

    private static RowKey key(byte[] bytes) throws MetadataException {
        try {
            return RowKey.parse(bytes);
        } catch (IllegalArgumentException e) {
            throw new MetadataException(Reason.CORRUPT, Effect.NONE, "a row's key cannot be read", e);
        }
    }

    private static MetadataException failure(String call, RowKey key, Effect effect, RocksDBException e) {
        return new MetadataException(
                Database.reason(e), effect, call + " of row " + key + " failed: " + Database.explained(e), e);
    }
}
