// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.runtime.Threads;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Copies bytes that are only in the journal and in memory into the segments' files, in large pieces, and deletes
 * journal files whose bytes all segments have. Bounds the memory: appends wait while too much is not copied.
 *
 * <p>Thread-safe.
 */
public final class SegmentCopier implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentCopier.class);
    /** How long an append waits for memory before it is refused; below every deadline. */
    static final long MAX_WAIT_MILLIS = 5_000;
    /**
     * Of one segment, copied as soon as it has gathered: large enough for few flushes, small enough to hold up nobody.
     */
    private static final long PIECE_BYTES = 1 << 20;
    /** After a failure, and for what trickles in. */
    private static final long ROUND_MILLIS = 1_000;

    private final long maxUnwrittenBytes;
    private final long maxWaitMillis;
    private final Supplier<Collection<JournaledSegment>> segments;
    private final Consumer<JournaledSegment> onReleased;
    private final Threads threads;
    private final Threads.Loop loop;
    private final ExecutorService copiers;

    @GuardedBy("this")
    private long unwritten;

    private final Semaphore wake = new Semaphore(0);
    private volatile boolean closing;

    private volatile Supplier<? extends Collection<Journal>> journals = List::of;

    /**
     * A copier that copies once {@link #start} was called.
     *
     * @param maxUnwrittenBytes appends wait beyond it
     * @param maxWaitMillis how long
     * @param atOnce segments that are copied at the same time: many where a copy is mostly waiting
     * @param segments those that are written
     * @param onReleased called with each segment whose writer was closed, once it is copied
     */
    public SegmentCopier(
            long maxUnwrittenBytes,
            long maxWaitMillis,
            int atOnce,
            Supplier<Collection<JournaledSegment>> segments,
            Consumer<JournaledSegment> onReleased,
            Threads threads) {
        this.onReleased = onReleased;
        this.maxWaitMillis = maxWaitMillis;
        this.maxUnwrittenBytes = maxUnwrittenBytes;
        this.segments = segments;
        this.threads = threads;
        loop = threads.loop("segment-copier", () -> closing || wake.availablePermits() > 0, this::work);
        copiers = threads.pool("segment-copies", atOnce);
    }

    /** Starts copying; {@code all} are the journals that there are at any time. */
    void start(Supplier<? extends Collection<Journal>> all) {
        journals = all;
        loop.start();
    }

    /**
     * Reserves memory for an append. Waits while there is not enough.
     *
     * @throws StorageException BUSY: nothing was reserved in time
     */
    public synchronized void reserve(long bytes) throws StorageException {
        long waited = 0;
        while (unwritten + bytes > maxUnwrittenBytes && unwritten > 0) {
            if (closing || waited >= maxWaitMillis) {
                throw new StorageException(
                        Reason.BUSY, Effect.NONE, "segments can't be written as fast as puts come", null);
            }
            want();
            try {
                threads.await(this, ROUND_MILLIS / 10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StorageException(Reason.UNAVAILABLE, Effect.NONE, "interrupted", e);
            }
            waited += ROUND_MILLIS / 10;
        }
        unwritten += bytes;
        if (unwritten > maxUnwrittenBytes / 2) {
            wantOnce();
        }
    }

    /** Gives memory back: the bytes were copied, or never will be. */
    public synchronized void release(long bytes) {
        unwritten -= bytes;
        notifyAll();
    }

    /** Bytes taken and not copied yet. */
    synchronized long unwrittenBytes() {
        return unwritten;
    }

    /** Asks for a round if a segment has gathered enough for a piece. */
    void gathered(JournaledSegment segment) {
        if (segment.backlog() >= PIECE_BYTES) {
            wantOnce();
        }
    }

    private void wantOnce() {
        if (wake.availablePermits() == 0) {
            want();
        }
    }

    /** Asks for a round: a journal file is full, or memory is short. */
    public void want() {
        wake.release();
    }

    /** Waits for a round and does it; false if the copier is closing. */
    private boolean work() {
        boolean pressed = awaitRound();
        if (closing) {
            return false;
        }
        try {
            copyAll(pressed ? largest() : List.copyOf(segments.get()));
            forget();
        } catch (IOException | RuntimeException | Error e) { // appends wait for this thread
            LOG.error("segments can't be written; trying again", e);
        }
        return true;
    }

    /** Waits until a round is asked for, or for its interval to pass; true if one was asked for. */
    private boolean awaitRound() {
        try {
            if (threads.acquire(wake, ROUND_MILLIS)) {
                wake.drainPermits(); // one round serves them all
                return true;
            }
        } catch (InterruptedException e) {
            LOG.warn("segment copier interrupted; going on");
        }
        return false;
    }

    /**
     * Those that have gathered a piece, and of the others the largest, as many as it takes to get well below the mark
     * at which a round is wanted: under load pieces are large, and follow each other evenly. Those that nobody writes
     * any more as well: they are to be closed.
     */
    private List<JournaledSegment> largest() {
        long tooMuch = unwrittenBytes() - maxUnwrittenBytes * 3 / 8;
        List<JournaledSegment> chosen = new ArrayList<>();
        for (Backlog each : backlogs()) {
            boolean needed = each.bytes > 0 && tooMuch > 0;
            if (needed || each.bytes >= PIECE_BYTES || each.segment.isReleased()) {
                chosen.add(each.segment);
                tooMuch -= each.bytes;
            }
        }
        return chosen;
    }

    private List<Backlog> backlogs() {
        return segments.get().stream()
                .map(segment -> new Backlog(segment, segment.backlog()))
                .sorted(Comparator.comparingLong(Backlog::bytes).reversed())
                .toList();
    }

    private record Backlog(JournaledSegment segment, long bytes) {}

    /** Copies everything once, then deletes the journal files that are not needed any more. */
    public void round() throws IOException {
        copyAll(segments.get());
        forget();
    }

    private void forget() throws IOException {
        for (Journal each : journals.get()) {
            forget(each);
        }
    }

    private void copyAll(Collection<JournaledSegment> chosen) {
        CompletableFuture<?>[] copies = chosen.stream()
                .map(segment -> CompletableFuture.runAsync(() -> copyAlone(segment), copiers))
                .toArray(CompletableFuture<?>[]::new);
        try {
            threads.result(CompletableFuture.allOf(copies));
        } catch (ExecutionException e) {
            throw new IllegalStateException("a segment could not be copied", e);
        } catch (InterruptedException e) {
            LOG.warn("segment copier interrupted; going on");
        }
    }

    /** Copies one segment; a failure is logged, and does not keep others from being copied. */
    private void copyAlone(JournaledSegment segment) {
        try {
            copy(segment);
            if (segment.isReleased()) {
                onReleased.accept(segment);
            }
        } catch (IOException e) {
            LOG.error("segment can't be written; trying again segment={}", segment.name(), e);
        }
    }

    private void forget(Journal journal) throws IOException {
        for (Journal.FullFile oldest = journal.oldestFullFile(); oldest != null; oldest = journal.oldestFullFile()) {
            for (Map.Entry<JournaledSegment, Long> end : oldest.ends().entrySet()) {
                if (!end.getKey().isWrittenTo(end.getValue())) {
                    copy(end.getKey());
                }
                end.getKey().sync();
                if (!end.getKey().isSyncedTo(end.getValue())) {
                    return; // its acknowledger has not come to these bytes yet
                }
            }
            journal.forgetOldest(oldest);
        }
    }

    /** Copies one segment's durable bytes. */
    public void copy(JournaledSegment segment) throws IOException {
        long bytes = segment.writeOut();
        if (bytes > 0) {
            release(bytes);
        }
    }

    @Override
    public void close() {
        closing = true;
        want();
        try {
            loop.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        copiers.shutdown();
    }
}
