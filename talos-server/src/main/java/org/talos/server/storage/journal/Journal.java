// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Makes bytes of all segments durable together: one thread writes what has gathered as a batch and, unless the system's
 * memory is durable enough, syncs once; another then tells those who wait, so that the next batch does not wait for
 * them.
 *
 * <p>With syncs, a batch is written only after the one before is on the disk: so a batch that is not whole, with a
 * whole one behind it, is damage and not a torn end.
 *
 * <p>Thread-safe.
 */
public final class Journal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    private static final long MAX_BATCH_BYTES = 64L << 20;

    private final JournalFiles files;
    private final long fileBytes;
    private final Ticker ticker;
    private final JournalListener listener;
    private final Runnable onFileClosed;
    private final LongConsumer onDropped;
    private final SecureRandom salts = new SecureRandom();
    private final LinkedBlockingQueue<Runnable> settled = new LinkedBlockingQueue<>();
    private final AtomicInteger untold = new AtomicInteger(); // of settled, and the one that is being told
    private final Thread writerThread;
    private final Thread tellerThread;

    @GuardedBy("this")
    private final Deque<Append> pending = new ArrayDeque<>();

    @GuardedBy("this")
    private final Deque<ClosedFile> closedFiles = new ArrayDeque<>();

    @GuardedBy("this")
    private Map<JournaledSegment, Long> inFile = new HashMap<>();

    @GuardedBy("this")
    private @Nullable StorageException ended; // nothing is taken any more

    @GuardedBy("this")
    private boolean closing;

    // The writer thread's own.
    private long fileNumber;
    private long batchNumber;
    private long length;
    private @Nullable StoredFile file;
    private long previousNumber;
    private long previousLength;
    private long salt;

    // The teller thread's own.
    private boolean told;

    /**
     * Takes nothing before {@link #start}.
     *
     * @param firstFile number of the first file
     * @param onFileClosed runs when a file is full; must not block
     * @param onDropped hears of bytes that a failure has taken from their segment
     */
    public Journal(
            JournalFiles files,
            long firstFile,
            long fileBytes,
            Ticker ticker,
            JournalListener listener,
            Runnable onFileClosed,
            LongConsumer onDropped) {
        this.files = files;
        this.fileBytes = fileBytes;
        this.ticker = ticker;
        this.listener = listener;
        this.onFileClosed = onFileClosed;
        this.onDropped = onDropped;
        fileNumber = firstFile - 1;
        writerThread = new NamedThreads("journal").newThread(this::write);
        tellerThread = new NamedThreads("journal-teller").newThread(this::tell);
    }

    /** Begins. */
    public void start() {
        writerThread.start();
        tellerThread.start();
    }

    /** Bytes of a segment on their way to the disk; without the segment, only where it was cut. */
    private record Append(
            SegmentName name,
            @Nullable JournaledSegment segment,
            long position,
            List<ByteBuffer> bytes,
            int length,
            CompletableFuture<Void> done) {
        int itemBytes() {
            return JournalFormat.ITEM_HEADER_BYTES + Math.max(length, 0);
        }

        void complete() {
            if (segment != null) {
                segment.durable(position + length);
            }
            done.complete(null);
            if (segment != null) {
                segment.settled();
            }
        }

        void fail(StorageException cause) {
            done.completeExceptionally(cause);
            if (segment != null) {
                segment.settled();
            }
        }
    }

    /**
     * A full file, and up to where it has each segment.
     *
     * @param sound nothing failed while it was written
     */
    record ClosedFile(long number, Map<JournaledSegment, Long> ends, boolean sound) {}

    /**
     * Takes bytes into a segment and queues them, both or neither.
     *
     * @throws StorageException nothing was taken
     */
    public synchronized CompletableFuture<Void> append(JournaledSegment segment, List<ByteBuffer> bytes, int length)
            throws StorageException {
        refuseIfEnded();
        long position = segment.take(bytes);
        return queue(new Append(segment.name(), segment, position, bytes, length, new CompletableFuture<>()));
    }

    /**
     * Makes it durable that whatever the journal holds of a segment past a length is not to be replayed. Blocks.
     *
     * @throws StorageException UNAVAILABLE: it may be replayed or not
     */
    public void cut(SegmentName name, long length) throws StorageException {
        CompletableFuture<Void> done;
        synchronized (this) {
            refuseIfEnded();
            done = queue(new Append(name, null, length, List.of(), JournalFormat.CUT, new CompletableFuture<>()));
        }
        try {
            done.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "interrupted", e);
        } catch (ExecutionException e) {
            throw new StorageException(
                    Reason.UNAVAILABLE, Effect.UNKNOWN, "journal can't be written: " + e.getMessage(), e);
        }
    }

    /** Whether a replay might bring bytes to a segment of which nothing is under way. */
    public synchronized boolean holds(SegmentName name) {
        return Stream.concat(Stream.of(inFile), closedFiles.stream().map(ClosedFile::ends))
                .flatMap(ends -> ends.keySet().stream())
                .anyMatch(segment -> segment.name().equals(name));
    }

    /** Whether somebody else has taken it over. */
    public synchronized boolean isFenced() {
        return ended != null && ended.reason() == Reason.FENCED;
    }

    /** Why nothing is taken any more, if so. */
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
    private CompletableFuture<Void> queue(Append append) {
        pending.addLast(append);
        if (pending.size() == 1) {
            notifyAll();
        }
        return append.done;
    }

    private void write() {
        for (List<Append> batch = take(); !batch.isEmpty(); batch = take()) {
            try {
                writeBatch(batch);
            } catch (IOException e) {
                boolean taken = e instanceof JournalFencedException || files.isTaken();
                giveUp(taken ? endAll(batch, Reason.FENCED, e) : batch, e);
            } catch (RuntimeException | Error e) { // a fault of ours, or no memory: nobody is to wait for ever
                giveUp(endAll(batch, Reason.UNAVAILABLE, e), e);
            }
        }
        closeFile(true);
        settle(() -> told = true);
    }

    /** Takes nothing any more; returns the batch and all that is queued behind it. */
    private synchronized List<Append> endAll(List<Append> batch, Reason reason, Throwable cause) {
        ended = new StorageException(reason, Effect.NONE, "the journal has ended: " + cause, cause);
        List<Append> all = new ArrayList<>(batch);
        all.addAll(pending);
        pending.clear();
        return all;
    }

    /** What has gathered; empty once the journal is closing and nothing is left. */
    private synchronized List<Append> take() {
        List<Append> batch = new ArrayList<>();
        while (batch.isEmpty() && !(closing && pending.isEmpty())) {
            if (pending.isEmpty()) {
                awaitWork();
            } else {
                fill(batch);
            }
        }
        return batch;
    }

    @GuardedBy("this")
    private void awaitWork() {
        try {
            while (pending.isEmpty() && !closing) {
                wait();
            }
        } catch (InterruptedException e) {
            LOG.warn("journal interrupted; going on");
        }
    }

    /** Leaves out what would stand behind bytes that failed: it would leave a hole in its segment. */
    @GuardedBy("this")
    private void fill(List<Append> batch) {
        long bytes = 0;
        while (!pending.isEmpty()
                && (batch.isEmpty() || bytes + pending.getFirst().itemBytes() <= MAX_BATCH_BYTES)) {
            Append next = pending.removeFirst();
            StorageException broken = next.segment == null ? null : next.segment.broken();
            if (broken == null) {
                bytes += next.itemBytes();
                batch.add(next);
            } else {
                settle(() -> next.fail(broken));
            }
        }
    }

    private void writeBatch(List<Append> batch) throws IOException {
        StoredFile target = currentFile();
        List<ByteBuffer> buffers = new ArrayList<>(4 * batch.size() + 1);
        buffers.add(ByteBuffer.allocate(0)); // the header's place
        int bytes = 0;
        for (Append append : batch) {
            buffers.add(JournalFormat.itemHeader(append.name, append.position, append.length));
            buffers.addAll(append.bytes);
            bytes += append.itemBytes();
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
        batchNumber++;
        length += JournalFormat.BATCH_HEADER_BYTES + bytes;
        long batchBytes = bytes;
        hold(batch, true);
        Runnable news = () -> {
            batch.forEach(Append::complete);
            listener.batchSynced(batchBytes, written - start, synced - written);
        };
        if (batch.size() == 1 && untold.get() == 0 && !hasPending()) {
            tell(news); // a lone writer: waking the teller would cost it more than telling costs the next batch
        } else {
            settle(news);
        }
        if (length >= fileBytes || target.isWorn()) {
            closeFile(true);
        }
    }

    /** The journal file has bytes of these segments: it is kept until they have them up to there. */
    private synchronized void hold(List<Append> batch, boolean durable) {
        for (Append append : batch) {
            if (append.segment != null) {
                inFile.merge(append.segment, durable ? append.position + append.length : 0, Math::max);
            }
        }
    }

    /** Its header is written before the first batch. A number whose file failed is not used again. */
    private StoredFile currentFile() throws IOException {
        StoredFile open = file;
        if (open != null) {
            return open;
        }
        fileNumber++;
        salt = salts.nextLong();
        StoredFile begun = files.begin(
                fileNumber, JournalFormat.fileHeader(fileNumber, previousNumber, previousLength, salt, files.synced()));
        length = JournalFormat.FILE_HEADER_BYTES;
        file = begun;
        return begun;
    }

    /**
     * What was in the batch may be on the disk or not. The file is left as it is, with what counts of it told by the
     * next one: after a failed sync nobody knows what its pages hold.
     */
    private void giveUp(List<Append> batch, Throwable cause) {
        LOG.error("journal failed file={} position={}", fileNumber, length, cause);
        StorageException failure = new StorageException(
                Reason.UNAVAILABLE, Effect.UNKNOWN, "journal can't be written: " + cause.getMessage(), cause);
        for (Append append : batch) {
            if (append.segment != null) {
                append.segment.breakOff(failure);
            }
        }
        hold(batch, false);
        closeFile(false);
        settle(
                () -> { // behind the batches before it, whose bytes are durable
                    for (Append append : batch) {
                        if (append.segment != null) {
                            onDropped.accept(append.segment.fail(failure));
                        }
                    }
                    batch.forEach(append -> append.fail(failure));
                });
    }

    private void closeFile(boolean sound) {
        StoredFile full = file;
        if (full == null) {
            return;
        }
        file = null;
        if (length > JournalFormat.FILE_HEADER_BYTES) { // without a batch it was begun in vain, and may go at once
            previousNumber = fileNumber;
            previousLength = length;
        }
        try {
            if (sound) {
                full.close();
            } else {
                full.abandon();
            }
        } catch (IOException e) {
            LOG.warn("journal file not closed file={}", fileNumber, e);
        }
        synchronized (this) {
            closedFiles.addLast(new ClosedFile(fileNumber, inFile, sound));
            inFile = new HashMap<>();
        }
        settle(onFileClosed);
    }

    /** The oldest full file, if there is one. */
    synchronized @Nullable ClosedFile oldestClosedFile() {
        return closedFiles.peekFirst();
    }

    /** Lets go of the oldest full file: all its segments have its bytes on the disk. */
    void forgetOldest(ClosedFile oldest) throws IOException {
        files.end(oldest.number, oldest.sound);
        synchronized (this) {
            closedFiles.removeFirst();
        }
    }

    /** From the writer thread only, so that all is told in the order in which it happened. */
    private void settle(Runnable news) {
        untold.incrementAndGet();
        settled.add(news);
    }

    private void tell() {
        while (!told) {
            try {
                tell(settled.take());
                untold.decrementAndGet();
            } catch (InterruptedException e) {
                LOG.warn("journal teller interrupted; going on");
            }
        }
    }

    private static void tell(Runnable news) {
        try {
            news.run();
        } catch (RuntimeException | Error e) {
            LOG.error("journal: a listener failed; going on", e);
        }
    }

    private synchronized boolean hasPending() {
        return !pending.isEmpty();
    }

    /** Writes what is queued, tells everyone, and ends. May be called twice. */
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
            writerThread.join();
            tellerThread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
