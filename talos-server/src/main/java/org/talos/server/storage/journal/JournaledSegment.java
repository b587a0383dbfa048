// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.runtime.FirstLine;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * A segment that is being written: its file, and in memory the pieces that have not been copied into it yet.
 *
 * <p>Invariant: written ≤ durable ≤ appended. Only durable bytes are copied into the file, and only they are read.
 *
 * <p>Its appends:
 *
 * <pre>
 * ACCEPTED → REFUSED   another owner has fenced it, its writer is closed, or its bytes cannot be copied into the file
 * ACCEPTED → BROKEN    bytes were lost on the way to the journal: those behind them fail too, and leave no hole
 * REFUSED  → BROKEN    the same, of appends that were in flight
 * </pre>
 *
 * <p>Its bytes are in flight, durable, copied into the file, and synced there, in this order. It is settled once its
 * writer is closed and nothing is in flight. Or it is dropped, with all bytes that are only in memory.
 *
 * <p>Thread-safe.
 */
public final class JournaledSegment {
    private static final Logger LOG = LoggerFactory.getLogger(JournaledSegment.class);

    private final SegmentName name;
    private final Rewriting rewriting;
    private volatile StoredFile file;
    private volatile boolean unread;

    @GuardedBy("this")
    private final UnwrittenPieces unwritten = new UnwrittenPieces();

    @GuardedBy("this")
    private long written;

    @GuardedBy("this")
    private long synced;

    @GuardedBy("this")
    private long durable;

    @GuardedBy("this")
    private Appends appends = Appends.ACCEPTED;

    @GuardedBy("this")
    private @Nullable StorageException refusal; // why appends are not accepted

    @GuardedBy("this")
    private int inFlight; // appends that are not completed

    @GuardedBy("this")
    private boolean released;

    @GuardedBy("this")
    private boolean gone;

    @GuardedBy("this")
    private @Nullable Trouble trouble;

    @GuardedBy("fileLock")
    private @Nullable IOException syncFailure;

    @GuardedBy("fileLock")
    private final List<StoredFile> replaced = new ArrayList<>(); // may still be read

    @GuardedBy("fileLock")
    private boolean closed;

    private final Object fileLock = new Object(); // one copier at a time

    /** Creates a segment whose file cannot be replaced: a failed sync is final. */
    public JournaledSegment(SegmentName name, StoredFile file) {
        this(name, file, Rewriting.NONE);
    }

    /** Creates a segment in a file, with a factory for another file if that one fails. */
    public JournaledSegment(SegmentName name, StoredFile file, Rewriting rewriting) {
        this.name = name;
        this.file = file;
        this.rewriting = rewriting;
    }

    /** Since when copying fails, and why. */
    private record Trouble(long sinceNanos, IOException cause, boolean ofSync) {}

    /** The state of the segment's appends. */
    private enum Appends {
        ACCEPTED,
        REFUSED,
        BROKEN
    }

    public SegmentName name() {
        return name;
    }

    /** Adds bytes behind all others; returns their position. They are not durable yet. */
    public synchronized long take(List<ByteBuffer> bytes) throws StorageException {
        if (refusal != null) {
            throw refusal;
        }
        long position = unwritten.end();
        unwritten.add(bytes);
        inFlight++;
        return position;
    }

    /** Notes that everything up to a position is durable in the journal. */
    public synchronized void durable(long end) {
        durable = Math.max(durable, end);
    }

    /** Notes that an append has completed, successfully or not. */
    synchronized void settled() {
        inFlight--;
        notifyAll();
    }

    /** Fails all appends from now on, also those in flight: bytes before them were lost. May be called again. */
    synchronized void breakOff(StorageException cause) {
        become(Appends.BROKEN, cause);
    }

    @GuardedBy("this")
    private void become(Appends next, StorageException why) {
        appends = next;
        refusal = why;
    }

    /** Returns why no more bytes of the segment may go to the journal, if that is so. */
    public synchronized @Nullable StorageException broken() {
        return appends == Appends.BROKEN ? refusal : null;
    }

    /** Like {@link #breakOff}, and drops all bytes that are not durable. Returns their number. */
    public synchronized long fail(StorageException cause) {
        breakOff(cause);
        return unwritten.cut(durable);
    }

    /** Returns why appends are refused, if they are. */
    synchronized @Nullable StorageException failure() {
        return refusal;
    }

    /** Notes that bytes could not be written to the file, or synced. */
    synchronized void copyFailed(long nowNanos, IOException cause, boolean ofSync) {
        if (trouble == null) {
            trouble = new Trouble(nowNanos, cause, ofSync);
        }
    }

    /** Notes that bytes could be written or synced again. */
    synchronized void succeeded(boolean ofSync) {
        if (trouble != null && trouble.ofSync == ofSync) {
            trouble = null;
        }
    }

    /** Returns why its bytes cannot be written to the file, if that has been so for a time. */
    synchronized Optional<String> trouble(long nowNanos, long forNanos) {
        return trouble == null || nowNanos - trouble.sinceNanos < forNanos
                ? Optional.empty()
                : Optional.of("segment " + name + " cannot be written: " + FirstLine.of(trouble.cause));
    }

    synchronized boolean isInTrouble() {
        return trouble != null;
    }

    /**
     * Refuses further appends, since the bytes before them cannot be written to the file. Returns false if it already
     * does so.
     */
    synchronized boolean refuse(String why) {
        if (appends != Appends.ACCEPTED) {
            return false;
        }
        Throwable cause = trouble == null ? null : trouble.cause;
        Reason reason = StorageException.isDiskFull(cause) ? Reason.FULL : Reason.UNAVAILABLE;
        become(Appends.REFUSED, new StorageException(reason, Effect.NONE, why, cause));
        return true;
    }

    /** Refuses further appends; those in flight continue to their end. */
    synchronized void fence() {
        if (appends == Appends.ACCEPTED) {
            String why = "segment " + name + " has another owner";
            become(Appends.REFUSED, new StorageException(Reason.FENCED, Effect.NONE, why, null));
        }
    }

    /** Notes that its writer was closed: the segment is settled once everything is in the file. */
    public synchronized void release() {
        fence();
        released = true;
    }

    /** Like {@link #release}, and notes that it is not read any more unless it is recovered first. */
    void endReads() {
        release();
        unread = true;
    }

    boolean isUnread() {
        return unread;
    }

    synchronized boolean isReleased() {
        return released && inFlight == 0;
    }

    /** Waits until all appends have completed. */
    synchronized void awaitSettled(Threads threads) throws InterruptedException {
        while (inFlight > 0) {
            threads.await(this, 0);
        }
    }

    /** Returns the bytes that are in memory. */
    synchronized long unwrittenBytes() {
        return gone ? 0 : unwritten.end() - written;
    }

    /** Returns the bytes that could be copied now. */
    synchronized long backlog() {
        return gone ? 0 : durable - written;
    }

    /** Copies durable bytes into the file; returns their number. */
    public long writeOut() throws IOException {
        synchronized (fileLock) {
            long position;
            UnwrittenPieces.Run run;
            synchronized (this) {
                if (gone) {
                    return 0;
                }
                position = written;
                run = unwritten.run(position, durable);
            }
            if (run.bytes().isEmpty()) {
                return 0;
            }
            file.writeThrough(position, run.bytes());
            synchronized (this) {
                written = run.end();
                unwritten.removeFirst(run.bytes().size());
            }
            return run.end() - position;
        }
    }

    /**
     * Makes the copied bytes durable in the file itself. A failed sync is never retried: the system may have dropped
     * the pages, and would report success. The journal has the bytes: they are written to another file.
     */
    public void sync() throws IOException {
        synchronized (fileLock) {
            long length;
            synchronized (this) {
                if (gone || synced == written) {
                    return;
                }
                length = written;
            }
            syncFile(length);
            synchronized (this) {
                synced = Math.max(synced, length);
            }
        }
    }

    @GuardedBy("fileLock")
    private void syncFile(long length) throws IOException {
        if (syncFailure == null) {
            try {
                file.sync();
                return;
            } catch (IOException e) {
                syncFailure = e;
                LOG.error("segment sync failed, writing it to another file segment={}", name, e);
            }
        }
        rewriteFile(length);
    }

    @GuardedBy("fileLock")
    private void rewriteFile(long length) throws IOException {
        long sure;
        synchronized (this) {
            sure = Math.min(synced, length);
        }
        StoredFile next = rewriting.rewrite(file, sure, length);
        replaced.add(file);
        file = next;
        syncFailure = null;
        LOG.warn("segment written to another file segment={} bytes={}", name, length);
    }

    /** Once settled: writes all durable bytes to another file; returns the number of bytes that were only in memory. */
    public long rewrite() throws IOException {
        synchronized (fileLock) {
            long before;
            long end;
            synchronized (this) {
                if (gone || closed) {
                    return 0;
                }
                before = written;
                end = durable;
            }
            rewriteFile(end);
            synchronized (this) {
                written = end;
                synced = end;
                trouble = null;
                unwritten.removeTo(end);
            }
            return end - before;
        }
    }

    /** As {@link StoredFile#syncToDisk}. */
    public void syncToDisk() throws IOException {
        synchronized (fileLock) {
            if (!closed) {
                file.syncToDisk();
            }
        }
    }

    /** Once settled: cuts off the bytes that a failed write has left behind the durable ones. */
    public void trim() throws IOException {
        synchronized (fileLock) {
            if (!closed && file.size() > durableLength()) {
                file.truncate(durableLength());
                syncFile(durableLength());
            }
        }
    }

    /** Returns whether its file has the bytes up to a position, though possibly not durably; or they were dropped. */
    synchronized boolean isWrittenTo(long end) {
        return gone || written >= end;
    }

    /** Returns whether the journal is not needed for the segment's bytes up to a position. */
    synchronized boolean isSyncedTo(long end) {
        return gone || synced >= end;
    }

    /** Forgets all bytes in memory and closes the file. Returns the number of bytes that were only in memory. */
    public long drop() throws IOException {
        synchronized (fileLock) {
            long dropped;
            synchronized (this) {
                gone = true;
                dropped = unwritten.clear();
            }
            closed = true;
            closeReplaced();
            file.abandon();
            return dropped;
        }
    }

    public synchronized long durableLength() {
        return durable;
    }

    /** Returns whether it was dropped: its file may lack bytes that were only in memory. */
    synchronized boolean isGone() {
        return gone;
    }

    synchronized long appendedLength() {
        return unwritten.end();
    }

    /** Reads durable bytes: from the file as far as they are there, then from memory. */
    public int read(long position, ByteBuffer target) throws IOException {
        int start = target.position();
        int before;
        do { // bytes that are copied into the file now were in neither place
            before = target.position();
            readOnce(position + (before - start), target);
        } while (target.hasRemaining() && target.position() > before);
        return target.position() - start;
    }

    private void readOnce(long position, ByteBuffer target) throws IOException {
        int start = target.position();
        long inFile;
        synchronized (this) {
            inFile = Math.min(written, durable);
            if (position >= inFile) {
                unwritten.copy(position, target, durable);
                return;
            }
        }
        ByteBuffer part = target.duplicate();
        part.limit((int) Math.min(part.limit(), part.position() + (inFile - position)));
        int read = file.read(position, part);
        target.position(start + read);
        synchronized (this) {
            if (target.hasRemaining() && read == inFile - position && written == inFile) {
                unwritten.copy(position + read, target, durable);
            }
        }
    }

    /** Closes the file; called once everything is in it and on the disk. */
    public void close() throws IOException {
        synchronized (fileLock) {
            closed = true;
            closeReplaced();
            file.close();
        }
    }

    @GuardedBy("fileLock")
    private void closeReplaced() {
        for (StoredFile each : replaced) {
            try {
                each.abandon();
            } catch (IOException e) {
                LOG.warn("replaced file not closed segment={}", name, e);
            }
        }
        replaced.clear();
    }
}
