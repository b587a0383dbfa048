// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.DiskFullLog;

/**
 * Copies bytes that are only in the journal and in memory into the segments' files, in large pieces, and deletes
 * journal files whose bytes all segments have. Bounds the memory: appends wait while too many bytes are not copied.
 *
 * <p>Each segment and each journal is independent: a failure or a hanging call for one delays no other. The copier's
 * thread only decides what to copy, and answers appends that wait for memory. Threads of a pool copy and delete.
 *
 * <p>Thread-safe.
 */
public final class SegmentCopier implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentCopier.class);
    /** How long an append waits for memory before it is refused; below every deadline. */
    static final long MAX_WAIT_MILLIS = 5_000;
    /**
     * The bytes of one segment after which they are copied: large enough for few flushes, and small enough to delay no
     * other segment.
     */
    private static final long PIECE_BYTES = 1 << 20;
    /** The time after a failure, and for a slow trickle of bytes. */
    private static final long ROUND_MILLIS = 1_000;
    /** The interval while appends wait for memory: the precision of their timeouts. */
    private static final long WAITING_ROUND_MILLIS = 100;
    /** A copy or a deletion that takes longer gives its place to another, as long as there are threads. */
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final int THREADS_OF_PLACE = 4;
    /** A segment that could not be written for this time accepts no more appends: its partition is opened again. */
    static final long ABANDONED_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** The same for a copy that has begun and does not end: it may still be running. */
    private static final long HANGS_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final DiskFullLog fullDisk = new DiskFullLog(LOG, "segments cannot be written");
    private final long maxUnwrittenBytes;
    private final int atOnce;
    private final Supplier<Collection<JournaledSegment>> segments;
    private final Consumer<JournaledSegment> onReleased;
    private final Consumer<JournaledSegment> onDeleted;
    private final Ticker ticker;
    private final Threads threads;
    private final Threads.Loop loop;
    private final ExecutorService copiers;
    private final ExecutorService deleters;
    private final UnwrittenMemory memory;
    private final Semaphore wake = new Semaphore(0);

    @GuardedBy("this")
    private final Set<JournaledSegment> chosen = new LinkedHashSet<>(); // to be copied, in this order

    @GuardedBy("this")
    private final Map<JournaledSegment, Long> copying = new HashMap<>(); // since when

    @GuardedBy("this")
    private final Set<Journal> deleting = new HashSet<>();

    private volatile boolean closing;

    private volatile Supplier<? extends Collection<Journal>> journals = List::of;

    /**
     * The segments of a store. Immutable.
     *
     * @param written the segments that are being written
     * @param onReleased called with each segment whose writer was closed, once it is copied or has no readers
     * @param onDeleted called with each segment that another server has deleted, to drop it
     */
    public record Segments(
            Supplier<Collection<JournaledSegment>> written,
            Consumer<JournaledSegment> onReleased,
            Consumer<JournaledSegment> onDeleted) {}

    /**
     * Creates a copier that copies once {@link #start} was called.
     *
     * @param maxUnwrittenBytes appends wait beyond it
     * @param maxWaitMillis longest wait
     * @param atOnce segments that are copied at the same time: many where a copy mostly waits
     */
    public SegmentCopier(
            long maxUnwrittenBytes, long maxWaitMillis, int atOnce, Segments all, Ticker ticker, Threads threads) {
        segments = all.written;
        onReleased = all.onReleased;
        onDeleted = all.onDeleted;
        this.maxUnwrittenBytes = maxUnwrittenBytes;
        this.atOnce = atOnce;
        this.ticker = ticker;
        this.threads = threads;
        memory = new UnwrittenMemory(maxUnwrittenBytes, TimeUnit.MILLISECONDS.toNanos(maxWaitMillis));
        loop = threads.loop("segment-copier", () -> closing || wake.availablePermits() > 0, this::work);
        copiers = threads.pool("segment-copies", atOnce * THREADS_OF_PLACE);
        deleters = threads.pool("journal-deletions", atOnce);
    }

    /** Starts copying; {@code all} returns the present journals. */
    void start(Supplier<? extends Collection<Journal>> all) {
        journals = all;
        loop.start();
    }

    /** Reserves memory for an append at once, or not at all. */
    public boolean tryReserve(JournaledSegment segment, long bytes) {
        boolean reserved = memory.tryReserve(segment, bytes);
        if (memory.used() > maxUnwrittenBytes / 2) {
            wantOnce();
        }
        return reserved;
    }

    /**
     * Reserves memory for an append, as soon as there is some.
     *
     * @return completes on the copier's thread; exceptionally with a StorageException, BUSY: nothing was reserved in
     *     time
     */
    CompletableFuture<Void> reserve(JournaledSegment segment, long bytes) {
        CompletableFuture<Void> reserved = memory.reserve(segment, bytes, ticker.nanos());
        want();
        return reserved;
    }

    /** Releases memory: the bytes were copied, or never will be. */
    public void release(long bytes) {
        if (bytes > 0 && memory.release(bytes)) {
            wantOnce();
        }
    }

    /** Returns the bytes taken and not copied yet. */
    long unwrittenBytes() {
        return memory.used();
    }

    /** Returns why a segment cannot be written, if that has been so for long. */
    Optional<String> failure() {
        long now = ticker.nanos();
        return segments.get().stream()
                .flatMap(segment -> segment.trouble(now, ABANDONED_NANOS).stream())
                .findFirst();
    }

    /** Requests a round if a segment has enough bytes for a piece. */
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

    /** Requests a round: a journal file is full, or memory is short. */
    public void want() {
        wake.release();
    }

    /** Waits for a round and runs it; returns false if the copier is closing. */
    private boolean work() {
        boolean pressed = awaitRound();
        if (closing) {
            return false;
        }
        try {
            giveUp();
            memory.answer(ticker.nanos());
            choose(pressed ? largest() : due());
            journals.get().forEach(journal -> deleteLater(journal, pressed));
        } catch (RuntimeException | Error e) { // appends wait for this thread
            LOG.error("segment writes failed, will retry", e);
        }
        return true;
    }

    /** Waits until a round is requested, or until its interval passes; returns true if one was requested. */
    private boolean awaitRound() {
        try {
            if (threads.acquire(wake, memory.hasWaiters() ? WAITING_ROUND_MILLIS : ROUND_MILLIS)) {
                wake.drainPermits(); // one round serves them all
                return true;
            }
        } catch (InterruptedException e) {
            LOG.warn("segment copier interrupted, continuing");
        }
        return false;
    }

    /** Refuses appends to segments that cannot be written: the journal keeps the acknowledged bytes. */
    private void giveUp() {
        long now = ticker.nanos();
        for (JournaledSegment segment : segments.get()) {
            Optional<String> trouble = segment.trouble(now, ABANDONED_NANOS);
            if (trouble.isPresent() && segment.refuse(trouble.get())) {
                LOG.error("segment closed for appends reason={}", trouble.get());
            }
        }
        IOException hangs = new IOException("a write has not ended for " + HANGS_NANOS / 1_000_000 + " ms");
        hanging(now).forEach(segment -> segment.copyFailed(now - ABANDONED_NANOS, hangs, false));
    }

    private synchronized List<JournaledSegment> hanging(long now) {
        return copying.entrySet().stream()
                .filter(each -> now - each.getValue() >= HANGS_NANOS)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the segments with work to do: none while idle, however many there are. */
    private List<JournaledSegment> due() {
        return segments.get().stream()
                .filter(each -> each.backlog() > 0 || each.isInTrouble() || each.isReleased())
                .toList();
    }

    /**
     * Returns the segments with a full piece, and the largest of the others, as many as it takes to get well below the
     * mark that starts a round. So under load pieces are large, and follow each other evenly. Also returns segments
     * without a writer, which must be closed.
     */
    private List<JournaledSegment> largest() {
        long tooMuch = unwrittenBytes() - maxUnwrittenBytes * 3 / 8;
        List<JournaledSegment> chosen = new ArrayList<>();
        for (Backlog each : backlogs()) {
            boolean needed = each.bytes > 0 && tooMuch > 0;
            if (each.segment.isInTrouble()) {
                continue; // tried again when nothing presses
            }
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

    private synchronized void choose(Collection<JournaledSegment> more) {
        chosen.addAll(more);
        chosen.removeAll(copying.keySet());
        copyChosen();
    }

    /** Copies as many at once as there are places; one that has hung for long takes none. */
    @GuardedBy("this")
    private void copyChosen() {
        long now = ticker.nanos();
        while (!chosen.isEmpty() && !closing && copying.size() < atOnce * THREADS_OF_PLACE && places(now) > 0) {
            JournaledSegment segment = chosen.iterator().next();
            chosen.remove(segment);
            copying.put(segment, now);
            try {
                copiers.execute(() -> copyOne(segment));
            } catch (RuntimeException | Error e) { // no thread left: the next round tries it again
                copying.remove(segment);
                LOG.warn("no thread to write a segment, will retry cause={}", e.toString());
                return;
            }
        }
    }

    @GuardedBy("this")
    private long places(long now) {
        return atOnce
                - copying.values().stream()
                        .filter(since -> now - since < SLOW_NANOS)
                        .count();
    }

    private void copyOne(JournaledSegment segment) {
        try {
            copyAlone(segment);
        } catch (RuntimeException | Error e) { // the next round tries it again
            LOG.error("segment write failed, will retry segment={}", segment.name(), e);
        } finally {
            synchronized (this) {
                copying.remove(segment);
                copyChosen();
                notifyAll();
            }
        }
    }

    private void deleteLater(Journal journal, boolean pressed) {
        JournalContents.FullFile oldest = journal.oldestFullFile();
        boolean inTrouble = // tried again when nothing presses
                pressed && oldest != null && oldest.ends().keySet().stream().anyMatch(JournaledSegment::isInTrouble);
        if (oldest == null || inTrouble || !beginDeleting(journal)) {
            return;
        }
        try {
            deleters.execute(() -> delete(journal));
        } catch (RuntimeException | Error e) { // no thread left: the next round tries it again
            endDeleting(journal);
            LOG.warn("no thread to delete journal files, will retry cause={}", e.toString());
        }
    }

    private void delete(Journal journal) {
        try {
            forget(journal);
        } catch (IOException | RuntimeException | Error e) {
            if (!fullDisk.failed("journal files are kept", e)) {
                LOG.error("deletion of journal files failed, will retry", e);
            }
        } finally {
            endDeleting(journal);
        }
    }

    private synchronized boolean beginDeleting(Journal journal) {
        return deleting.add(journal);
    }

    private synchronized void endDeleting(Journal journal) {
        deleting.remove(journal);
        notifyAll();
    }

    /** Copies everything once, then deletes the journal files that are no longer needed. */
    public void round() throws IOException {
        segments.get().forEach(this::copyAlone);
        for (Journal each : journals.get()) {
            forget(each);
        }
    }

    /** Copies one segment; a failure is logged, and does not keep others from being copied. */
    private void copyAlone(JournaledSegment segment) {
        try {
            if (!segment.isUnread()) { // otherwise it may not be ours any more, and is settled or dropped as a whole
                copyOrDrop(segment);
            }
            if (segment.isReleased()) {
                onReleased.accept(segment);
            }
        } catch (JournalFencedException e) { // the new owner has all acknowledged bytes
            LOG.warn("segment not written, another server may own it segment={}", segment.name());
        } catch (IOException e) {
            if (!fullDisk.failed("segment=" + segment.name(), e)) {
                LOG.error("segment write failed, will retry segment={}", segment.name(), e);
            }
        }
    }

    /** Copies one segment. The bytes of a deleted segment are not needed, and their loss is not a failure. */
    private void copyOrDrop(JournaledSegment segment) throws IOException {
        try {
            copy(segment);
        } catch (SegmentDeletedException e) {
            LOG.info("segment abandoned, another server deleted it segment={}", segment.name());
            onDeleted.accept(segment);
        }
    }

    private void forget(Journal journal) throws IOException {
        for (JournalContents.FullFile oldest = journal.oldestFullFile();
                oldest != null;
                oldest = journal.oldestFullFile()) {
            for (Map.Entry<JournaledSegment, Long> end : oldest.ends().entrySet()) {
                JournaledSegment segment = end.getKey();
                if (!segment.isWrittenTo(end.getValue())) {
                    copyOrDrop(segment);
                }
                sync(segment);
                if (!segment.isSyncedTo(end.getValue())) {
                    return; // these bytes are not acknowledged yet
                }
            }
            journal.forgetOldest(oldest);
        }
    }

    private void sync(JournaledSegment segment) throws IOException {
        try {
            segment.sync();
            segment.succeeded(true);
        } catch (IOException e) {
            segment.copyFailed(ticker.nanos(), e, true);
            throw e;
        }
    }

    /** Copies one segment's durable bytes. */
    public void copy(JournaledSegment segment) throws IOException {
        try {
            long written = segment.writeOut();
            release(written);
            if (written > 0) {
                fullDisk.succeeded();
            }
            segment.succeeded(false);
        } catch (IOException e) {
            segment.copyFailed(ticker.nanos(), e, false);
            throw e;
        }
    }

    @Override
    public void close() {
        closing = true;
        want();
        try {
            loop.join();
            awaitCopies();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        copiers.shutdown();
        deleters.shutdown();
        memory.close();
    }

    private synchronized void awaitCopies() throws InterruptedException {
        while (!copying.isEmpty() || !deleting.isEmpty()) {
            threads.await(this, 0);
        }
    }
}
