// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.runtime.thread.EventLoopIteration;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.DiskFullLog;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Makes bytes of all segments durable together: one thread at a time writes the accumulated appends as a batch, syncs
 * once unless the page cache is durable enough, and completes their futures. If a write takes microseconds, the
 * appending thread writes itself: waking another thread would cost more than the write. If a write waits for a disk, a
 * network, or a new file, the journal's own thread writes.
 *
 * <p>With syncs, a batch is written only after the previous one is on the disk. So an incomplete batch with a whole one
 * behind it is damage and not a torn end.
 *
 * <p>Thread-safe. Futures complete on the writing thread, in the order of the batches and without any lock. Their
 * dependents must hand work over, as all other segments wait for them.
 */
public final class Journal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    /** The bytes that a disk takes in some hundredths of a second: an append waits for the batch before its own. */
    public static final long MAX_BATCH_BYTES = 8L << 20;
    /** A caller that finds more takes this much and leaves the rest to the journal's thread. */
    private static final long MAX_BATCH_BYTES_OF_CALLER = 1 << 20;
    /** The number of batches that a caller writes: its own, and those that others queue during it. */
    private static final int MAX_BATCHES_OF_CALLER = 4;
    /** A write that takes longer was delayed by the disk behind the page cache. */
    private static final long SLOW_WRITE_NANOS = 5_000_000;
    /** After such a write the journal's thread writes, so that no caller is delayed. */
    private static final long SLOW_FOR_NANOS = 1_000_000_000;

    private final JournalFiles files;
    private final long fileBytes;
    private final Ticker ticker;
    private final JournalListener listener;
    private final Runnable onFileClosed;
    private final LongConsumer onDropped;
    private final DiskFullLog fullDisk = new DiskFullLog(LOG, "journal cannot be written");
    private final SecureRandom salts = new SecureRandom();
    private final boolean immediate;
    private final Threads threads;
    private final Threads.Loop writer;

    @GuardedBy("this")
    private final AppendQueue pending = new AppendQueue();

    @GuardedBy("this")
    private final JournalContents contents = new JournalContents();

    @GuardedBy("this")
    private @Nullable StorageException ended; // appends are refused

    @GuardedBy("this")
    private boolean closing;

    @GuardedBy("this")
    private boolean writing; // some thread writes: the later batches are its own

    private final AtomicBoolean isPutOff = new AtomicBoolean(); // to the end of some caller's turn
    private volatile long slowUntilNanos; // by the ticker: until then callers do not write
    private volatile boolean hasFile; // one is open: to begin another takes syncs, for which no caller waits

    // Of the thread that writes.
    private long fileNumber;
    private long batchNumber;
    private long length;
    private @Nullable StoredFile file;
    private long previousNumber;
    private long previousLength;
    private long salt;

    /**
     * Calls by a journal when a file is full, or bytes are dropped. Immutable.
     *
     * @param onFileClosed runs when a file is full; must not block
     * @param onDropped called with the number of bytes that a failure has removed from their segment
     */
    public record Callbacks(Runnable onFileClosed, LongConsumer onDropped) {}

    /**
     * Creates a journal that accepts appends once {@link #start} was called.
     *
     * @param firstFile number of the first file
     */
    public Journal(
            JournalFiles files,
            long firstFile,
            long fileBytes,
            Ticker ticker,
            JournalListener listener,
            Callbacks callbacks,
            Threads threads) {
        this.files = listener.around(files);
        this.fileBytes = fileBytes;
        this.ticker = ticker;
        this.listener = listener;
        onFileClosed = callbacks.onFileClosed;
        onDropped = callbacks.onDropped;
        fileNumber = firstFile - 1;
        immediate = this.files.isImmediate();
        slowUntilNanos = ticker.nanos();
        this.threads = threads;
        writer = threads.loop("journal", this::hasWork, this::write);
    }

    /** Starts the thread. */
    public void start() {
        writer.start();
    }

    /**
     * Takes bytes into a segment and queues them, both or neither.
     *
     * @throws StorageException nothing was taken
     */
    public synchronized CompletableFuture<Void> append(JournaledSegment segment, List<ByteBuffer> bytes, int length)
            throws StorageException {
        refuseIfEnded();
        long position = segment.take(bytes);
        return queue(new Append(segment, position, bytes, length, new CompletableFuture<>()));
    }

    /**
     * Makes it durable that no byte of a segment past a length may be replayed. Blocks.
     *
     * @throws StorageException UNAVAILABLE: it may be replayed or not
     */
    public void cut(SegmentName name, long length) throws StorageException {
        CompletableFuture<Void> done;
        synchronized (this) {
            refuseIfEnded();
            done = queue(new Cut(name, length, new CompletableFuture<>()));
        }
        try {
            threads.result(done);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "interrupted", e);
        } catch (ExecutionException e) {
            throw new StorageException(
                    StorageException.isDiskFull(e) ? Reason.FULL : Reason.UNAVAILABLE,
                    Effect.UNKNOWN,
                    "journal cannot be written: " + e.getMessage(),
                    e);
        }
    }

    /** Waits until all appends of a segment have completed. */
    void awaitSettled(JournaledSegment segment) throws InterruptedException {
        segment.awaitSettled(threads);
    }

    /** Returns whether a replay might bring bytes to a segment without appends in flight. */
    public synchronized boolean holds(SegmentName name) {
        return contents.has(name);
    }

    /** Returns whether another server has fenced the journal. */
    public synchronized boolean isFenced() {
        return ended != null && ended.reason() == Reason.FENCED;
    }

    /** Returns why the journal refuses appends, if that is so. */
    public synchronized Optional<String> failure() {
        return Optional.ofNullable(ended).map(StorageException::getMessage);
    }

    @GuardedBy("this")
    private void refuseIfEnded() throws StorageException {
        if (ended != null) {
            throw ended;
        }
    }

    @GuardedBy("this")
    private CompletableFuture<Void> queue(JournalItem item) {
        pending.add(item);
        if (item instanceof Cut || (pending.size() == 1 && !isForCaller())) {
            notifyAll(); // the thread that cuts waits, and writes nothing itself
        }
        return item.done();
    }

    private boolean isForCaller() {
        return immediate && hasFile && ticker.nanos() - slowUntilNanos >= 0;
    }

    /**
     * Writes the queued items on the caller's thread, if that takes only microseconds and no other thread writes: at
     * the end of its turn, together with items that are queued until then. Completes futures. The caller holds no lock.
     */
    public void writeQueued() {
        if (!immediate) {
            return; // the journal's thread was woken by the append
        }
        if (!EventLoopIteration.isUnderWay()) {
            writeNow();
        } else if (isPutOff.compareAndSet(false, true)) {
            EventLoopIteration.atEnd(this::writePutOff);
        }
    }

    private void writePutOff() {
        isPutOff.set(false); // first: a thread that appends from now on schedules another write
        writeNow();
    }

    private void writeNow() {
        for (int batches = 0; batches < MAX_BATCHES_OF_CALLER && isForCaller() && beginNow(); batches++) {
            writeBatch(MAX_BATCH_BYTES_OF_CALLER);
        }
        synchronized (this) {
            if (!writing && !pending.isEmpty()) {
                notifyAll(); // the caller has done its share, or must not be delayed
            }
        }
    }

    /** Returns whether the caller must write the queued items: if another thread writes, that one will see them. */
    private synchronized boolean beginNow() {
        if (writing || closing || !hasFile || pending.isEmpty()) {
            return false;
        }
        writing = true;
        return true;
    }

    /**
     * Waits for appends and writes the accumulated ones; returns false once the journal is closed and all is written.
     */
    private boolean write() {
        if (begin()) {
            writeBatch(MAX_BATCH_BYTES);
            return true;
        }
        closeFile(true);
        return false;
    }

    /**
     * Waits until an item is queued and no other thread writes; returns false once the journal is closing and all is
     * written.
     */
    private synchronized boolean begin() {
        while (!hasWork()) {
            try {
                threads.await(this, 0);
            } catch (InterruptedException e) {
                LOG.warn("journal interrupted, continuing");
            }
        }
        writing = !pending.isEmpty();
        return writing;
    }

    private synchronized boolean hasWork() {
        return !writing && (closing || !pending.isEmpty());
    }

    /**
     * Writes one batch of the queued items, and completes its futures. Called by the thread that has begun to write.
     */
    private void writeBatch(long maxBytes) {
        try {
            List<JournalItem> batch = new ArrayList<>();
            List<Runnable> refusals = new ArrayList<>(0);
            fill(batch, refusals, maxBytes);
            refusals.forEach(Journal::settle);
            if (!batch.isEmpty()) {
                writeOrFail(batch);
            }
        } finally {
            synchronized (this) {
                writing = false;
                if (closing) {
                    notifyAll();
                }
            }
        }
    }

    private void writeOrFail(List<JournalItem> batch) {
        try {
            write(batch);
        } catch (IOException | OutOfMemoryError e) { // there may be memory for the next
            boolean taken = e instanceof JournalFencedException || files.isTaken();
            fail(taken ? endAll(batch, Reason.FENCED, e) : batch, e);
        } catch (RuntimeException | Error e) { // a bug of ours: no caller may wait forever
            fail(endAll(batch, Reason.UNAVAILABLE, e), e);
        }
    }

    /** Refuses all further appends; returns the batch and all items queued behind it. */
    private synchronized List<JournalItem> endAll(List<JournalItem> batch, Reason reason, Throwable cause) {
        ended = new StorageException(reason, Effect.NONE, "the journal has ended: " + cause, cause);
        List<JournalItem> all = new ArrayList<>(batch);
        all.addAll(pending.takeAll());
        return all;
    }

    /** Takes a batch from the queue; refuses appends behind failed bytes of their segment: they would leave a hole. */
    private synchronized void fill(List<JournalItem> batch, List<Runnable> refusals, long maxBytes) {
        for (JournalItem next : pending.take(maxBytes)) {
            StorageException refusal = next.refusal();
            if (refusal == null) {
                batch.add(next);
            } else {
                refusals.add(() -> next.fail(refusal));
            }
        }
    }

    private void write(List<JournalItem> batch) throws IOException {
        StoredFile target = currentFile();
        List<ByteBuffer> buffers = new ArrayList<>(4 * batch.size() + 1);
        buffers.add(ByteBuffer.allocate(0)); // the header's place
        int bytes = 0;
        for (JournalItem item : batch) {
            buffers.add(JournalFormat.itemHeader(item.name(), item.position(), item.length()));
            buffers.addAll(item.bytes());
            bytes += item.itemBytes();
        }
        int checksum = JournalFormat.crc(buffers.subList(1, buffers.size()));
        buffers.set(0, JournalFormat.batchHeader(salt, batchNumber, batch.size(), bytes, checksum));
        long start = ticker.nanos();
        target.write(length, buffers);
        long written = ticker.nanos();
        if (files.synced()) {
            target.sync();
        }
        long synced = ticker.nanos();
        if (written - start > SLOW_WRITE_NANOS) {
            slowUntilNanos = written + SLOW_FOR_NANOS;
        }
        fullDisk.succeeded();
        batchNumber++;
        length += JournalFormat.BATCH_HEADER_BYTES + bytes;
        long batchBytes = bytes;
        hold(batch, true);
        Runnable outcome = () -> {
            batch.forEach(JournalItem::complete);
            listener.batchSynced(batchBytes, written - start, synced - written);
        };
        settle(outcome);
        if (length >= fileBytes || target.isDegraded()) {
            closeFile(true);
        }
    }

    /** Notes that the file has bytes of these segments: it is kept until they have their bytes up to there. */
    private synchronized void hold(List<JournalItem> batch, boolean durable) {
        contents.hold(batch, durable);
    }

    /**
     * Returns the file to write to: a new one with its header, if there is none. A number whose file failed is not
     * reused.
     */
    private StoredFile currentFile() throws IOException {
        StoredFile open = file;
        if (open != null) {
            return open;
        }
        fileNumber++;
        salt = salts.nextLong();
        StoredFile begun = files.begin(
                fileNumber,
                JournalFormat.fileHeader(
                        fileNumber, previousNumber, previousLength, salt, files.survivesPowerFailures()));
        length = JournalFormat.FILE_HEADER_BYTES;
        file = begun;
        hasFile = true;
        return begun;
    }

    /**
     * Fails the items of a batch, which may be on the disk or not. The file is left as it is, and the header of the
     * next file states its valid part: after a failed sync, the state of its pages is unknown.
     */
    private void fail(List<JournalItem> batch, Throwable cause) {
        if (!fullDisk.failed("file=" + fileNumber + " position=" + length, cause)) {
            LOG.error("journal failed file={} position={}", fileNumber, length, cause);
        }
        settle(() -> listener.failed(cause));
        StorageException failure = StorageException.unavailable("journal cannot be written", Effect.UNKNOWN, cause);
        for (JournalItem item : batch) {
            if (item instanceof Append append) {
                append.segment().breakOff(failure);
            }
        }
        hold(batch, false);
        closeFile(false);
        settle(
                () -> { // behind the batches before it, whose bytes are durable
                    for (JournalItem item : batch) {
                        if (item instanceof Append append) {
                            onDropped.accept(append.segment().fail(failure));
                        }
                    }
                    batch.forEach(item -> item.fail(failure));
                });
    }

    private void closeFile(boolean sound) {
        StoredFile full = file;
        if (full == null) {
            return;
        }
        file = null;
        hasFile = false;
        if (length > JournalFormat.FILE_HEADER_BYTES) { // without a batch it was never used, and may be deleted at once
            previousNumber = fileNumber;
            previousLength = length;
        }
        try {
            if (sound) {
                full.close();
            } else {
                full.abandon();
            }
        } catch (IOException | RuntimeException | Error e) { // its valid part is known, and the next file says so
            LOG.warn("journal file not closed file={}", fileNumber, e);
        }
        synchronized (this) {
            contents.fileFull(fileNumber, sound);
        }
        settle(onFileClosed);
    }

    /** Returns the oldest full file, if there is one. */
    synchronized JournalContents.@Nullable FullFile oldestFullFile() {
        return contents.oldest();
    }

    /** Deletes the oldest full file: all its segments have its bytes on the disk. */
    void forgetOldest(JournalContents.FullFile oldest) throws IOException {
        files.end(oldest.number(), oldest.sound());
        synchronized (this) {
            contents.removeOldest();
        }
    }

    /** Runs the outcomes of a batch. Called by the writing thread, so outcomes run in their order. */
    private static void settle(Runnable outcome) {
        try {
            outcome.run();
        } catch (RuntimeException | Error e) {
            LOG.error("journal listener failed, continuing", e);
        }
    }

    /** Writes the queued items, completes all futures, and ends. May be called twice. */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            if (ended == null) {
                ended = new StorageException(Reason.UNAVAILABLE, Effect.NONE, "the store is closed", null);
            }
            notifyAll();
        }
        try {
            writer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
