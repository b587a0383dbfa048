// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Makes bytes of all segments durable together: one thread writes what has gathered as a batch and syncs once, another
 * then tells those who wait, so that the next sync does not wait for them.
 *
 * <p>A batch is written only after the one before is on the disk: so a batch that is not whole, with a whole one behind
 * it, is damage and not a torn end.
 *
 * <p>Thread-safe.
 */
final class Journal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    private static final long MAX_BATCH_BYTES = 64L << 20;

    private final Disk disk;
    private final DiskPaths paths;
    private final long fileBytes;
    private final Ticker ticker;
    private final JournalListener listener;
    private final Runnable onFileClosed;
    private final LongConsumer onDropped;
    private final LinkedBlockingQueue<Runnable> settled = new LinkedBlockingQueue<>();
    private final Thread writerThread;
    private final Thread tellerThread;

    @GuardedBy("this")
    private final Deque<Append> pending = new ArrayDeque<>();

    @GuardedBy("this")
    private final Deque<ClosedFile> closedFiles = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean closing;

    // The writer thread's own.
    private long fileNumber;
    private long batchNumber;
    private long length;
    private @Nullable DiskFile file;
    private long previousNumber;
    private long previousLength;
    private Map<LocalSegment, Long> inFile = new HashMap<>();

    Journal(
            Disk disk,
            DiskPaths paths,
            long firstFile,
            long fileBytes,
            Ticker ticker,
            JournalListener listener,
            Runnable onFileClosed,
            LongConsumer onDropped) {
        this.disk = disk;
        this.paths = paths;
        this.fileBytes = fileBytes;
        this.ticker = ticker;
        this.listener = listener;
        this.onFileClosed = onFileClosed;
        this.onDropped = onDropped;
        fileNumber = firstFile - 1;
        writerThread = new NamedThreads("journal").newThread(this::write);
        tellerThread = new NamedThreads("journal-teller").newThread(this::tell);
    }

    void start() {
        writerThread.start();
        tellerThread.start();
    }

    /** Bytes of a segment on their way to the disk. */
    private record Append(
            LocalSegment segment, long position, List<ByteBuffer> bytes, int length, CompletableFuture<Void> done) {
        long end() {
            return position + length;
        }
    }

    /** A full file, and up to where it has each segment. */
    record ClosedFile(long number, Map<LocalSegment, Long> ends) {}

    /** Queues bytes; for each segment in the order of its positions. */
    CompletableFuture<Void> append(LocalSegment segment, long position, List<ByteBuffer> bytes, int length) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (this) {
            if (closing) {
                done.completeExceptionally(closed());
                return done;
            }
            pending.addLast(new Append(segment, position, bytes, length, done));
            if (pending.size() == 1) {
                notifyAll();
            }
        }
        return done;
    }

    private void write() {
        while (true) {
            List<Append> batch = take();
            if (batch.isEmpty()) {
                break;
            }
            try {
                writeBatch(batch);
            } catch (IOException e) {
                giveUp(batch, e);
            }
        }
        closeFile();
        settled.add(this::stopTelling);
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
        while (!pending.isEmpty() && (batch.isEmpty() || bytes + pending.getFirst().length <= MAX_BATCH_BYTES)) {
            Append next = pending.removeFirst();
            StorageException broken = next.segment.broken();
            if (broken == null) {
                bytes += next.length + JournalFormat.ITEM_HEADER_BYTES;
                batch.add(next);
            } else {
                settled.add(() -> next.done.completeExceptionally(broken));
            }
        }
    }

    private void writeBatch(List<Append> batch) throws IOException {
        DiskFile target = currentFile();
        List<ByteBuffer> buffers = new ArrayList<>(4 * batch.size() + 1);
        buffers.add(ByteBuffer.allocate(0)); // the header's place
        int bytes = 0;
        for (Append append : batch) {
            buffers.add(JournalFormat.itemHeader(append.segment.name(), append.position, append.length));
            buffers.addAll(append.bytes);
            bytes += JournalFormat.ITEM_HEADER_BYTES + append.length;
        }
        int checksum = JournalFormat.crc(buffers.subList(1, buffers.size()));
        buffers.set(0, JournalFormat.batchHeader(batchNumber, batch.size(), bytes, checksum));
        long start = ticker.nanos();
        target.write(length, buffers);
        long written = ticker.nanos();
        target.sync();
        listener.batchSynced(bytes, written - start, ticker.nanos() - written);
        batchNumber++;
        length += JournalFormat.BATCH_HEADER_BYTES + bytes;
        batch.forEach(append -> inFile.merge(append.segment, append.end(), Math::max));
        settled.add(() -> acknowledge(batch));
        if (length >= fileBytes) {
            closeFile();
        }
    }

    private DiskFile currentFile() throws IOException {
        if (file == null) {
            fileNumber++;
            DiskFile created = disk.create(paths.journal(fileNumber));
            file = created;
            created.write(0, List.of(JournalFormat.fileHeader(fileNumber, previousNumber, previousLength)));
            length = JournalFormat.FILE_HEADER_BYTES;
        }
        return file;
    }

    private static void acknowledge(List<Append> batch) {
        for (Append append : batch) {
            append.segment.durable(append.end());
            append.done.complete(null);
        }
    }

    /**
     * What was in the batch may be on the disk or not. The file is left as it is, with what counts of it told by the
     * next one: after a failed sync nobody knows what its pages hold.
     */
    private void giveUp(List<Append> batch, IOException cause) {
        LOG.error("journal failed file={} position={}", fileNumber, length, cause);
        StorageException failure = new StorageException(
                Reason.UNAVAILABLE, Effect.UNKNOWN, "journal can't be written: " + cause.getMessage(), cause);
        batch.forEach(append -> append.segment.breakOff(failure));
        closeFile();
        settled.add(
                () -> { // behind the batches before it, whose bytes are durable
                    batch.forEach(append -> onDropped.accept(append.segment.fail(failure)));
                    batch.forEach(append -> append.done.completeExceptionally(failure));
                });
    }

    private void closeFile() {
        DiskFile full = file;
        if (full == null) {
            return;
        }
        file = null;
        previousNumber = fileNumber;
        previousLength = length;
        try {
            full.close();
        } catch (IOException e) {
            LOG.warn("journal file not closed file={}", fileNumber, e);
        }
        synchronized (this) {
            closedFiles.addLast(new ClosedFile(fileNumber, inFile));
        }
        inFile = new HashMap<>();
        settled.add(onFileClosed);
    }

    /** The oldest full file, if there is one. */
    synchronized @Nullable ClosedFile oldestClosedFile() {
        return closedFiles.peekFirst();
    }

    /** Deletes the oldest full file: all its segments have its bytes on the disk. */
    void deleteOldest(ClosedFile oldest) throws IOException {
        disk.deleteIfExists(paths.journal(oldest.number));
        synchronized (this) {
            closedFiles.removeFirst();
        }
    }

    private void tell() {
        try {
            while (true) {
                settled.take().run();
            }
        } catch (InterruptedException e) {
            LOG.debug("journal teller ends");
        }
    }

    private void stopTelling() {
        tellerThread.interrupt();
    }

    private static StorageException closed() {
        return new StorageException(Reason.UNAVAILABLE, Effect.NONE, "the store is closed", null);
    }

    /** Writes what is queued, tells everyone, and ends. May be called twice. */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
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
