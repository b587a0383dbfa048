// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Copies what is only in the journal and in memory into the segments' files, in large pieces, and lets the journal
 * forget what is on the disk twice. Bounds the memory: appends wait while too much is not copied.
 *
 * <p>Thread-safe.
 */
public final class SegmentCopier implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentCopier.class);
    /** How long an append waits for memory before it is refused; below every deadline. */
    public static final long MAX_WAIT_MILLIS = 5_000;
    /** After a failure, and for what trickles in. */
    private static final long ROUND_MILLIS = 1_000;

    private final long maxUnwrittenBytes;
    private final long maxWaitMillis;
    private final Supplier<Collection<JournaledSegment>> segments;
    private final Consumer<JournaledSegment> onReleased;
    private final Thread thread;
    private final ExecutorService copiers;

    @GuardedBy("this")
    private long unwritten;

    private final Semaphore wake = new Semaphore(0);
    private volatile boolean closing;

    private volatile Supplier<? extends Collection<Journal>> journals = List::of;

    /**
     * Copies nothing before {@link #start}.
     *
     * @param maxUnwrittenBytes appends wait beyond it
     * @param maxWaitMillis how long
     * @param atOnce segments that are copied at the same time: many where a copy is mostly waiting
     * @param segments those that are written
     * @param onReleased hears of a segment whose writer has gone, once it is copied
     */
    public SegmentCopier(
            long maxUnwrittenBytes,
            long maxWaitMillis,
            int atOnce,
            Supplier<Collection<JournaledSegment>> segments,
            Consumer<JournaledSegment> onReleased) {
        this.onReleased = onReleased;
        this.maxWaitMillis = maxWaitMillis;
        this.maxUnwrittenBytes = maxUnwrittenBytes;
        this.segments = segments;
        thread = new NamedThreads("segment-copier").newThread(this::work);
        copiers = Executors.newFixedThreadPool(atOnce, new NamedThreads("segment-copies"));
    }

    /** Begins; {@code all} are the journals that there are at any time. */
    public void start(Supplier<? extends Collection<Journal>> all) {
        journals = all;
        thread.start();
    }

    /** Makes room for bytes, or waits for it. */
    public synchronized void reserve(long bytes) throws StorageException {
        long waited = 0;
        while (unwritten + bytes > maxUnwrittenBytes && unwritten > 0) {
            if (closing || waited >= maxWaitMillis) {
                throw new StorageException(
                        Reason.BUSY, Effect.NONE, "segments can't be written as fast as puts come", null);
            }
            want();
            try {
                wait(ROUND_MILLIS / 10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StorageException(Reason.UNAVAILABLE, Effect.NONE, "interrupted", e);
            }
            waited += ROUND_MILLIS / 10;
        }
        unwritten += bytes;
        if (unwritten > maxUnwrittenBytes / 4 && wake.availablePermits() == 0) {
            want();
        }
    }

    public synchronized void release(long bytes) {
        unwritten -= bytes;
        notifyAll();
    }

    /** Bytes taken and not copied yet. */
    public synchronized long unwrittenBytes() {
        return unwritten;
    }

    /** A journal file is full: there is something to forget. */
    public void want() {
        wake.release();
    }

    private void work() {
        while (awaitRound()) {
            try {
                round();
            } catch (IOException | RuntimeException | Error e) { // appends wait for this thread
                LOG.error("segments can't be written; trying again", e);
            }
        }
    }

    private boolean awaitRound() {
        try {
            if (wake.tryAcquire(ROUND_MILLIS, TimeUnit.MILLISECONDS)) {
                wake.drainPermits(); // one round serves them all
            }
        } catch (InterruptedException e) {
            LOG.warn("segment copier interrupted; going on");
        }
        return !closing;
    }

    /** One copy of everything, then as many journal files forgotten as can be. */
    public void round() throws IOException {
        copyAll();
        for (Journal each : journals.get()) {
            forget(each);
        }
    }

    private void copyAll() {
        List<Callable<Void>> copies = new ArrayList<>();
        for (JournaledSegment segment : segments.get()) {
            copies.add(() -> {
                copyAlone(segment);
                return null;
            });
        }
        try {
            for (Future<Void> copied : copiers.invokeAll(copies)) {
                copied.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a segment could not be copied", e);
        } catch (InterruptedException e) {
            LOG.warn("segment copier interrupted; going on");
        }
    }

    /** If it fails, the others are not to suffer. */
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
        for (Journal.ClosedFile oldest = journal.oldestClosedFile();
                oldest != null;
                oldest = journal.oldestClosedFile()) {
            for (Map.Entry<JournaledSegment, Long> end : oldest.ends().entrySet()) {
                if (!end.getKey().isWrittenTo(end.getValue())) {
                    copy(end.getKey());
                }
                end.getKey().sync();
                if (!end.getKey().isSyncedTo(end.getValue())) {
                    return; // its teller has not come round yet
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
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        copiers.shutdown();
    }
}
