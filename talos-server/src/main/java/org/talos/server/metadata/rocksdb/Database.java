// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rocksdb;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteOptions;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;

/**
 * A RocksDB database, configured for few small rows: every write is synced, little memory is used, and opening never
 * drops an acknowledged write.
 *
 * <p>Thread-safe, except {@link #close}: the store above excludes other calls during it.
 */
final class Database implements AutoCloseable {
    private static final long WRITE_BUFFER_BYTES = 4L << 20;
    private static final long BLOCK_CACHE_BYTES = 8L << 20;
    private static final long LOG_FILES_BYTES = 16L << 20;
    private static final long INFO_LOG_BYTES = 1L << 20;
    private static final int OPEN_FILES = 128;
    private static final String NOT_APPENDED = "While appending to file"; // env/io_posix.cc of RocksDB

    private final Deque<AutoCloseable> natives; // last created first
    private final RocksDB rocks;
    private final WriteOptions synced;

    private Database(Deque<AutoCloseable> natives, RocksDB rocks) {
        this.natives = natives;
        this.rocks = rocks;
        this.synced = new WriteOptions().setSync(true);
        natives.push(synced);
    }

    static Database open(Path directory) throws MetadataException {
        NativeLibrary.load();
        Deque<AutoCloseable> natives = new ArrayDeque<>();
        try {
            RocksDB rocks = RocksDB.open(options(natives), directory.toString());
            natives.push(rocks);
            return new Database(natives, rocks);
        } catch (RocksDBException e) {
            closeAll(natives);
            throw cannotOpen(directory, e);
        }
    }

    /** Opens the contents of a directory's files. Changes nothing, does not need the lock, and accepts no write. */
    static Database openReadOnly(Path directory) throws MetadataException {
        NativeLibrary.load();
        Deque<AutoCloseable> natives = new ArrayDeque<>();
        try {
            Options options = options(natives).setCreateIfMissing(false);
            RocksDB rocks = RocksDB.openReadOnly(options, directory.toString());
            natives.push(rocks);
            return new Database(natives, rocks);
        } catch (RocksDBException e) {
            closeAll(natives);
            throw cannotOpen(directory, e);
        }
    }

    /** Number of the last write that the files in a directory hold. Changes nothing, and does not need the lock. */
    static long lastWriteIn(Path directory) throws MetadataException {
        try (Database database = openReadOnly(directory)) {
            return database.lastWrite();
        }
    }

    private static Options options(Deque<AutoCloseable> natives) {
        LRUCache cache = new LRUCache(BLOCK_CACHE_BYTES);
        natives.push(cache);
        Options options = new Options();
        natives.push(options);
        return options.setCreateIfMissing(true)
                .setParanoidChecks(true)
                // The default replays the log up to the first damage and drops the rest; only a torn last write,
                // which was not acknowledged, may be dropped.
                .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
                .setWriteBufferSize(WRITE_BUFFER_BYTES)
                .setMaxWriteBufferNumber(2)
                .setMaxTotalWalSize(LOG_FILES_BYTES)
                .setMaxOpenFiles(OPEN_FILES)
                .setMaxBackgroundJobs(2)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setMaxLogFileSize(INFO_LOG_BYTES)
                .setKeepLogFileNum(2)
                .setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache));
    }

    private static MetadataException cannotOpen(Path directory, RocksDBException e) {
        String message = explained(e);
        String lower = message.toLowerCase(Locale.ROOT);
        if (lower.contains("lock file") || lower.contains("lock hold by")) {
            return new MetadataException(
                    Reason.UNAVAILABLE,
                    Effect.NONE,
                    "the metadata directory " + directory + " is in use by another server: " + message,
                    e);
        }
        return new MetadataException(
                reason(e), Effect.NONE, "cannot open the metadata directory " + directory + ": " + message, e);
    }

    /** The reason to report for a failure of the library. */
    static Reason reason(RocksDBException e) {
        @Nullable Status status = e.getStatus();
        if (status != null && status.getSubCode() == Status.SubCode.NoSpace) {
            return Reason.FULL;
        }
        return status != null && status.getCode() == Status.Code.Corruption ? Reason.CORRUPT : Reason.UNAVAILABLE;
    }

    /**
     * Returns the effect of a failed write. A record that was not appended in full to the log is not read by a later
     * start, and the library accepts no write after that until there is room. After a failed sync, the effect is
     * unknown.
     */
    static Effect effectOfWrite(RocksDBException e) {
        return reason(e) == Reason.FULL && String.valueOf(e.getMessage()).contains(NOT_APPENDED)
                ? Effect.NONE
                : Effect.UNKNOWN;
    }

    /** Returns the library's message, and its meaning for an operator. */
    static String explained(RocksDBException e) {
        String words = String.valueOf(e.getMessage());
        return reason(e) == Reason.FULL
                ? "the disk of the metadata is full, free space on it and it resumes by itself (RocksDB: " + words + ")"
                : words;
    }

    byte @Nullable [] get(byte[] key) throws RocksDBException {
        return rocks.get(key);
    }

    void put(byte[] key, byte[] value) throws RocksDBException {
        rocks.put(synced, key, value);
    }

    void delete(byte[] key) throws RocksDBException {
        rocks.delete(synced, key);
    }

    /** Number of the last write; all up to it are on the disk. */
    long lastWrite() {
        return rocks.getLatestSequenceNumber();
    }

    /** The caller closes it. */
    RocksIterator iterator() {
        return rocks.newIterator();
    }

    boolean isEmpty() throws RocksDBException {
        try (RocksIterator at = iterator()) {
            at.seekToFirst();
            at.status();
            return !at.isValid();
        }
    }

    @Override
    public void close() {
        closeAll(natives);
    }

    private static void closeAll(Deque<AutoCloseable> natives) {
        while (!natives.isEmpty()) {
            closeOne(natives.pop());
        }
    }

    private static void closeOne(AutoCloseable one) {
        try {
            one.close();
        } catch (Exception e) { // none of the library's handles throws; the signature allows it
            throw new IllegalStateException("a handle of RocksDB did not close", e);
        }
    }
}
