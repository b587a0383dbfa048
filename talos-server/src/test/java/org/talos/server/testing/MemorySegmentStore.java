// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * A store in memory whose flushes a test can hold, fail, and lose: all segments share one order of flushes, as with a
 * journal, so what a power loss leaves is a prefix of what was appended.
 *
 * <p>Thread-safe.
 */
public final class MemorySegmentStore implements SegmentStore {
    @GuardedBy("this")
    private final Map<SegmentName, ByteArrayOutputStream> durable = new HashMap<>();

    @GuardedBy("this")
    private final Map<SegmentName, byte[]> indexes = new HashMap<>();

    @GuardedBy("this")
    private final Map<SegmentName, Writer> writers = new HashMap<>();

    @GuardedBy("this")
    private final Deque<Append> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private final List<SegmentName> recovered = new ArrayList<>();

    @GuardedBy("this")
    private final Map<SegmentName, Long> bytesRead = new HashMap<>();

    @GuardedBy("this")
    private boolean held;

    @GuardedBy("this")
    private long reservedBytes;

    @GuardedBy("this")
    private CompletableFuture<Void> reservations = CompletableFuture.completedFuture(null);

    @GuardedBy("this")
    private @Nullable StorageException createFailure;

    @GuardedBy("this")
    private @Nullable StorageException sealFailure;

    @GuardedBy("this")
    private final List<SegmentName> abandoned = new ArrayList<>();

    @GuardedBy("this")
    private @Nullable Gate readGate;

    @GuardedBy("this")
    private @Nullable StorageException readFailure;

    @GuardedBy("this")
    private Runnable onAccess = () -> {};

    @GuardedBy("this")
    private long readableBytes = Long.MAX_VALUE;

    /** Bytes on their way to a segment. Immutable but for the end of its future. */
    private static final class Append {
        private final Writer writer;
        private final byte[] bytes;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        Append(Writer writer, byte[] bytes) {
            this.writer = writer;
            this.bytes = bytes;
        }
    }

    /** Appends wait from here on, as if the disk stood still. */
    public synchronized void holdFlushes() {
        held = true;
    }

    /** Makes the waiting blocks durable, in order, and all that follow. */
    public void releaseFlushes() {
        synchronized (this) {
            held = false;
        }
        flush(Integer.MAX_VALUE);
    }

    /** The oldest so many appends that wait become durable. */
    public void flush(int count) {
        for (int i = 0; i < count; i++) {
            Append next;
            synchronized (this) {
                next = waiting.poll();
                if (next == null) {
                    return;
                }
                bytesOf(next.writer.name).writeBytes(next.bytes);
            }
            next.done.complete(null);
        }
    }

    /** Everything that waits fails, with no byte of it kept; its writers take nothing more. */
    public void failWaiting(StorageException failure) {
        List<Append> failed;
        synchronized (this) {
            held = false;
            failed = new ArrayList<>(waiting);
            waiting.clear();
            failed.forEach(append -> append.writer.fenced = true);
        }
        failed.forEach(append -> append.done.completeExceptionally(failure));
    }

    /** The oldest append that waits fails, and its segment takes nothing more; those of other segments continue. */
    public void failOldest(StorageException failure) {
        List<Append> failed;
        synchronized (this) {
            Writer writer = waiting.element().writer;
            writer.fenced = true;
            failed = waiting.stream().filter(append -> append.writer == writer).toList();
            waiting.removeAll(failed);
        }
        failed.forEach(append -> append.done.completeExceptionally(failure));
    }

    /** Reads fail from here on; null: they succeed. */
    public synchronized void failReads(@Nullable StorageException failure) {
        readFailure = failure;
    }

    /** Runs in front of each read, and of each index that is saved; may throw. */
    public synchronized void onAccess(Runnable next) {
        onAccess = next;
    }

    /**
     * Reads give only this number of bytes of each segment from here on, as if its files were those of a moment before.
     */
    public synchronized void readUpTo(long bytes) {
        readableBytes = bytes;
    }

    /** Reads stop in the gate from here on; null: they continue. */
    public synchronized void gateReads(@Nullable Gate next) {
        readGate = next;
    }

    /** Holds a thread. Thread-safe. */
    public static final class Gate {
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch opened = new CountDownLatch(1);

        /** Stops here until the gate is opened. */
        public void pass() {
            reached.countDown();
            await(opened);
        }

        /** Waits until somebody stands in the gate. */
        public void awaitCaller() {
            await(reached);
        }

        /** Lets through who stands in it, and who comes. */
        public void open() {
            opened.countDown();
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** The next segment cannot be made. */
    public synchronized void failNextCreate(StorageException failure) {
        createFailure = failure;
    }

    /** Segments cannot be sealed from here on. */
    public synchronized void failSeals(StorageException failure) {
        sealFailure = failure;
    }

    @Override
    public synchronized void sealedByAnother(SegmentName name) {
        abandoned.add(name);
    }

    /** The segments that others were said to have sealed or deleted. */
    public synchronized List<SegmentName> abandoned() {
        return List.copyOf(abandoned);
    }

    /** The machine stops: of what waits, only this number of bytes has reached the disk; nobody is notified. */
    public synchronized void losePower(long bytesKept) {
        long left = bytesKept;
        for (Append append : waiting) {
            int kept = (int) Math.min(left, append.bytes.length);
            bytesOf(append.writer.name).write(append.bytes, 0, kept);
            left -= kept;
        }
        waiting.clear();
        writers.values().forEach(writer -> writer.fenced = true);
        writers.clear();
        held = false;
    }

    /** Bytes that wait to become durable. */
    public synchronized long waitingBytes() {
        return waiting.stream().mapToLong(append -> append.bytes.length).sum();
    }

    /** Returns the segments that were recovered so far, in order. */
    public synchronized List<SegmentName> recovered() {
        return List.copyOf(recovered);
    }

    /** Bytes read of each segment so far. */
    public synchronized Map<SegmentName, Long> bytesRead() {
        return Map.copyOf(bytesRead);
    }

    /** A copy of a segment's durable bytes. */
    public synchronized byte[] bytes(SegmentName name) {
        return bytesOf(name).toByteArray();
    }

    /** Puts other bytes in a segment's place, as a damaged disk would. */
    public synchronized void replace(SegmentName name, byte[] bytes) {
        durable.put(name, new ByteArrayOutputStream());
        bytesOf(name).writeBytes(bytes);
    }

    /** Drops or replaces the index of a segment. */
    public synchronized void replaceIndex(SegmentName name, byte @Nullable [] index) {
        if (index == null) {
            indexes.remove(name);
        } else {
            indexes.put(name, index);
        }
    }

    @GuardedBy("this")
    private ByteArrayOutputStream bytesOf(SegmentName name) {
        return durable.computeIfAbsent(name, each -> new ByteArrayOutputStream());
    }

    /** The writer of one segment. Guarded by the store. */
    private final class Writer implements SegmentWriter {
        private final SegmentName name;
        private long length;
        private volatile boolean fenced;

        Writer(SegmentName name) {
            this.name = name;
        }

        @Override
        public CompletableFuture<Void> reserve(long bytes) {
            synchronized (MemorySegmentStore.this) {
                return reservations.isDone() ? reserved(bytes) : reservations.thenCompose(granted -> reserved(bytes));
            }
        }

        private CompletableFuture<Void> reserved(long bytes) {
            synchronized (MemorySegmentStore.this) {
                reservedBytes += bytes;
            }
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void giveBack() {
            synchronized (MemorySegmentStore.this) {
                reservedBytes = 0;
            }
        }

        @Override
        public CompletableFuture<Void> append(List<ByteBuffer> buffers) {
            giveBack(); // it has its memory now
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (ByteBuffer buffer : buffers) {
                byte[] each = new byte[buffer.remaining()];
                buffer.duplicate().get(each);
                bytes.writeBytes(each);
            }
            Append append = new Append(this, bytes.toByteArray());
            boolean now;
            synchronized (MemorySegmentStore.this) {
                if (fenced) {
                    return CompletableFuture.failedFuture(failure(Reason.FENCED, Effect.NONE, name + " is fenced"));
                }
                length += bytes.size();
                waiting.add(append);
                now = !held;
            }
            if (now) {
                flush(Integer.MAX_VALUE);
            }
            return append.done;
        }

        @Override
        public long length() {
            synchronized (MemorySegmentStore.this) {
                return length;
            }
        }

        private boolean isInFlight() {
            synchronized (MemorySegmentStore.this) {
                return waiting.stream().anyMatch(append -> append.writer == this);
            }
        }

        @Override
        public long seal() throws StorageException {
            while (isInFlight()) {
                flush(1);
            }
            synchronized (MemorySegmentStore.this) {
                if (fenced) {
                    throw failure(Reason.FENCED, Effect.NONE, name + " is fenced");
                }
                if (sealFailure != null) {
                    throw sealFailure;
                }
                fenced = true;
                return bytesOf(name).size();
            }
        }

        @Override
        public void close() {
            fenced = true;
        }
    }

    /** A failure of this store. */
    public static StorageException failure(Reason reason, Effect effect, String message) {
        return new StorageException(reason, effect, message, null);
    }

    /** Bytes that are reserved for appends that have not been made. */
    public synchronized long reservedBytes() {
        return reservedBytes;
    }

    /** Grants no reservation until {@link #grantReservations}. */
    public synchronized void holdReservations() {
        reservations = new CompletableFuture<>();
    }

    /** Grants what was asked for meanwhile. */
    public void grantReservations() {
        CompletableFuture<Void> asked;
        synchronized (this) {
            asked = reservations;
        }
        asked.complete(null);
    }

    @Override
    public synchronized SegmentWriter create(SegmentName name, SegmentOptions options) throws StorageException {
        if (createFailure != null) {
            StorageException failure = createFailure;
            createFailure = null;
            throw failure;
        }
        if (durable.containsKey(name)) {
            throw failure(Reason.FENCED, Effect.NONE, name + " is there already");
        }
        durable.put(name, new ByteArrayOutputStream());
        Writer writer = new Writer(name);
        writers.put(name, writer);
        return writer;
    }

    @Override
    public int read(SegmentName name, long position, ByteBuffer target) throws StorageException {
        Gate gate;
        synchronized (this) {
            onAccess.run();
            if (readFailure != null) {
                throw readFailure;
            }
            gate = readGate;
        }
        if (gate != null) {
            gate.pass();
        }
        return readNow(name, position, target);
    }

    private synchronized int readNow(SegmentName name, long position, ByteBuffer target) throws StorageException {
        ByteArrayOutputStream bytes = durable.get(name);
        if (bytes == null) {
            throw failure(Reason.CORRUPT, Effect.NONE, "no such segment");
        }
        int count = (int) Math.max(0, Math.min(target.remaining(), Math.min(readableBytes, bytes.size()) - position));
        if (count > 0) {
            target.put(bytes.toByteArray(), (int) position, count);
            bytesRead.merge(name, (long) count, Long::sum);
        }
        return count;
    }

    @Override
    public long recover(SegmentName name) throws StorageException {
        List<Append> lost;
        long length;
        synchronized (this) {
            recovered.add(name);
            if (!durable.containsKey(name)) {
                throw failure(Reason.CORRUPT, Effect.NONE, "segment " + name + " is missing");
            }
            Writer writer = writers.remove(name);
            if (writer != null) {
                writer.fenced = true;
            }
            lost = waiting.stream().filter(append -> append.writer == writer).toList();
            waiting.removeAll(lost);
            length = bytesOf(name).size();
        }
        StorageException fenced = failure(Reason.FENCED, Effect.UNKNOWN, name + " was taken over");
        lost.forEach(append -> append.done.completeExceptionally(fenced));
        return length;
    }

    @Override
    public synchronized void truncate(SegmentName name, long length) {
        replace(name, Arrays.copyOf(bytes(name), (int) length));
    }

    @Override
    public synchronized Map<SegmentName, Long> lengths(LogId log) {
        Map<SegmentName, Long> lengths = new HashMap<>();
        durable.forEach((name, bytes) -> {
            if (name.log().equals(log)) {
                lengths.put(name, (long) bytes.size());
            }
        });
        return lengths;
    }

    @Override
    public synchronized void delete(SegmentName name) {
        durable.remove(name);
        indexes.remove(name);
    }

    @Override
    public synchronized void deleteLog(LogId log) {
        durable.keySet().removeIf(name -> name.log().equals(log));
        indexes.keySet().removeIf(name -> name.log().equals(log));
    }

    @Override
    public synchronized void saveIndex(SegmentName name, byte[] index) {
        onAccess.run();
        indexes.put(name, index.clone());
    }

    @Override
    public synchronized Optional<byte[]> loadIndex(SegmentName name) {
        return Optional.ofNullable(indexes.get(name));
    }

    @Override
    public void close() {}
}
