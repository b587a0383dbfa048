// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.zip.GZIPOutputStream;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;

/**
 * A store whose appends and reads take as long as those of another kind of storage: the worker that calls is held for
 * that long, as it would be by an hflush. What is stored is stored by the real one.
 *
 * <p>Thread-safe.
 */
final class DelayedStore implements SegmentStore {
    private final SegmentStore real;
    private final ToLongFunction<LogId> appends;
    private final LongSupplier reads;

    private final boolean gzip;

    /**
     * A store around the real one.
     *
     * @param appends how long an append takes, in nanoseconds, by its log
     * @param reads how long a read takes, in nanoseconds
     * @param gzip whether each append compresses what it is given, for nothing but the time that this takes
     */
    DelayedStore(SegmentStore real, ToLongFunction<LogId> appends, LongSupplier reads, boolean gzip) {
        this.gzip = gzip;
        this.real = real;
        this.appends = appends;
        this.reads = reads;
    }

    private static void hold(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void compress(List<ByteBuffer> bytes) {
        try (GZIPOutputStream out = new GZIPOutputStream(OutputStream.nullOutputStream())) {
            for (ByteBuffer each : bytes) {
                byte[] plain = new byte[each.remaining()];
                each.duplicate().get(plain);
                out.write(plain);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("writing to nowhere does not fail", e);
        }
    }

    /** A writer that delays each append. Confined: as the real writer. */
    private final class Writer implements SegmentWriter {
        private final SegmentWriter writer;
        private final LogId log;

        Writer(SegmentWriter writer, LogId log) {
            this.writer = writer;
            this.log = log;
        }

        @Override
        public CompletableFuture<Void> reserve(long bytes) {
            return writer.reserve(bytes);
        }

        @Override
        public void giveBack() {
            writer.giveBack();
        }

        @Override
        public void writeQueued() {
            writer.writeQueued();
        }

        @Override
        public boolean outlivesPowerFailure() {
            return writer.outlivesPowerFailure();
        }

        @Override
        public void sync() throws StorageException {
            writer.sync();
        }

        @Override
        public CompletableFuture<Void> append(List<ByteBuffer> bytes) {
            if (gzip) {
                compress(bytes);
            }
            CompletableFuture<Void> done = writer.append(bytes);
            hold(appends.applyAsLong(log));
            return done;
        }

        @Override
        public long length() {
            return writer.length();
        }

        @Override
        public long seal() throws StorageException {
            return writer.seal();
        }

        @Override
        public void close() {
            writer.close();
        }
    }

    @Override
    public SegmentWriter create(SegmentName name, SegmentOptions options) throws StorageException {
        return new Writer(real.create(name, options), name.log());
    }

    @Override
    public int read(SegmentName name, long position, ByteBuffer target) throws StorageException {
        hold(reads.getAsLong());
        return real.read(name, position, target);
    }

    @Override
    public long recover(SegmentName name) throws StorageException {
        return real.recover(name);
    }

    @Override
    public long wholeTo(SegmentName name) {
        return real.wholeTo(name);
    }

    @Override
    public void truncate(SegmentName name, long length) throws StorageException {
        real.truncate(name, length);
    }

    @Override
    public Map<SegmentName, Long> lengths(LogId log) throws StorageException {
        return real.lengths(log);
    }

    @Override
    public void delete(SegmentName name) throws StorageException {
        real.delete(name);
    }

    @Override
    public void deleteLog(LogId log) throws StorageException {
        real.deleteLog(log);
    }

    @Override
    public void saveIndex(SegmentName name, byte[] index) throws StorageException {
        real.saveIndex(name, index);
    }

    @Override
    public Optional<byte[]> loadIndex(SegmentName name) throws StorageException {
        return real.loadIndex(name);
    }

    @Override
    public void endReads(LogId log, long epoch) {
        real.endReads(log, epoch);
    }

    @Override
    public void close() {
        real.close();
    }
}
