// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.DiskFullLog;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Segments that are acknowledged from a journal and copied into their files later. Segments that this server writes are
 * read, fenced, settled, and deleted through memory; all others through their files. The place of the files differs:
 * {@link SegmentFiles}.
 *
 * <p>Thread-safe. Do not interrupt threads that call it: the channels of java.nio would be closed for all threads. The
 * server's workers are never interrupted.
 */
public final class JournaledSegmentStore implements SegmentStore {
    private static final Logger LOG = LoggerFactory.getLogger(JournaledSegmentStore.class);

    private final DiskFullLog fullDisk = new DiskFullLog(LOG, "segments cannot be settled");
    private final Map<SegmentName, OpenSegment> writing = new ConcurrentHashMap<>();
    private final NameLocks names = new NameLocks(); // one thread at a time creates, recovers, or deletes a name
    private final AtomicBoolean closed = new AtomicBoolean();
    private final SegmentCopier copier;
    private final SegmentFiles files;

    /**
     * Opens the files, and then starts copying into them.
     *
     * @param maxUnwrittenBytes bytes that may be in the journal and in memory only; appends wait beyond it
     * @param copiesAtOnce segments that are copied at the same time
     */
    public JournaledSegmentStore(
            long maxUnwrittenBytes, int copiesAtOnce, Ticker ticker, Threads threads, SegmentFiles.Opening opening)
            throws IOException, StorageException {
        copier = new SegmentCopier(
                maxUnwrittenBytes,
                SegmentCopier.MAX_WAIT_MILLIS,
                copiesAtOnce,
                new SegmentCopier.Segments(this::copied, this::settleReleased, this::dropDeleted),
                ticker,
                threads);
        files = opening.open(copier, writing.values());
        copier.start(files::journals);
    }

    /**
     * The segments that are copied. Segments of another server are here only until they are dropped, and may be read.
     */
    private Collection<JournaledSegment> copied() {
        return writing.values().stream()
                .flatMap(each -> each.journaled().filter(bytes -> bytes.isUnread() || !each.isLost()).stream())
                .toList();
    }

    /** Returns the number of bytes that are not in their segments yet. */
    public long unwrittenBytes() {
        return copier.unwrittenBytes();
    }

    /** Returns why nothing can be appended now, or not to every segment, if that is so. */
    public Optional<String> failure() throws IOException {
        Optional<String> failure = files.failure();
        return failure.isPresent() ? failure : copier.failure();
    }

    @Override
    public SegmentWriter create(SegmentName name, SegmentOptions options) throws StorageException {
        refuseIfClosed();
        names.enter(name);
        try {
            OpenSegment segment = files.create(name, options, each -> seal(name, each));
            writing.put(name, segment);
            return segment.writer();
        } finally {
            names.leave(name);
        }
    }

    @Override
    public int read(SegmentName name, long position, ByteBuffer target) throws StorageException {
        refuseIfClosed();
        OpenSegment segment = writing.get(name);
        int start = target.position();
        try {
            if (segment != null) {
                return segment.read(position, target);
            }
        } catch (IOException e) {
            if (writing.get(name) == segment) {
                throw StorageException.unavailable("segment " + name + " cannot be read", Effect.NONE, e);
            }
            // Sealed between the two steps, which closes the writer's file: its bytes are read like any other.
            LOG.debug("segment {} sealed while it was read", name, e);
            target.position(start);
        }
        return files.read(name, position, target);
    }

    @Override
    public long recover(SegmentName name) throws StorageException {
        refuseIfClosed();
        OpenSegment segment;
        names.enter(name);
        try {
            segment = writing.get(name);
            if (segment == null) {
                return files.recover(name);
            }
        } finally {
            names.leave(name);
        }
        segment.fence();
        return settle(name, segment);
    }

    private long seal(SegmentName name, OpenSegment segment) throws StorageException {
        refuseIfClosed();
        return settle(name, segment);
    }

    /**
     * Waits for appends in flight, and writes all acknowledged bytes to files: from memory, or, if another server has
     * fenced the journals, as every other server would.
     */
    private long settle(SegmentName name, OpenSegment segment) throws StorageException {
        try {
            segment.awaitSettled();
            if (segment.isLost()) {
                segment.drop();
                writing.remove(name, segment);
                return files.recover(name);
            }
            long length = segment.finish();
            if (writing.remove(name, segment)) {
                segment.close();
            }
            return length;
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be written out", Effect.UNKNOWN, e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public void sealedByAnother(SegmentName name) throws StorageException {
        OpenSegment segment = writing.get(name);
        if (segment == null) {
            return;
        }
        try {
            segment.fence();
            segment.awaitSettled();
            if (writing.remove(name, segment)) {
                segment.drop();
            }
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be abandoned", Effect.NONE, e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public void endReads(LogId log, long epoch) {
        boolean any = false;
        for (Map.Entry<SegmentName, OpenSegment> each : writing.entrySet()) {
            SegmentName name = each.getKey();
            if (name.log().equals(log) && name.epoch() <= epoch) {
                each.getValue().journaled().ifPresent(JournaledSegment::endReads);
                any = true;
            }
        }
        if (any) {
            copier.want();
        }
    }

    private static StorageException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return StorageException.unavailable("interrupted", Effect.UNKNOWN, e);
    }

    /**
     * Settles a segment whose writer has been closed; if that fails, it waits to be recovered. If another server has
     * fenced its journal, which this attempt may reveal, it is dropped as soon as it has no readers.
     */
    private void settleReleased(JournaledSegment released) {
        SegmentName name = released.name();
        OpenSegment segment = writing.get(name);
        try {
            if (segment != null && segment.isLost() && released.isUnread()) {
                sealedByAnother(name);
                LOG.info("segment abandoned, another server fenced its journal segment={}", name);
            } else if (segment != null) {
                settle(name, segment);
                fullDisk.succeeded();
            }
        } catch (StorageException e) {
            if (isOfDeleted(e)) {
                dropDeleted(released);
            } else if (!fullDisk.failed("segment=" + name, e)) {
                LOG.warn("segment not settled segment={}", name, e);
            }
        }
    }

    private static boolean isOfDeleted(StorageException e) {
        return e.getCause() instanceof SegmentDeletedException;
    }

    private void dropDeleted(JournaledSegment deleted) {
        try {
            sealedByAnother(deleted.name());
        } catch (StorageException e) {
            LOG.warn("deleted segment not abandoned yet segment={}", deleted.name(), e);
        }
    }

    @Override
    public long wholeTo(SegmentName name) {
        return files.wholeTo(name);
    }

    @Override
    public boolean mayLackItsEnd(SegmentName name, SegmentOptions options) {
        return files.mayLackItsEnd(name, options);
    }

    @Override
    public boolean mayBeTorn(SegmentName name, long position) {
        return files.mayBeTorn(name, position);
    }

    @Override
    public void truncate(SegmentName name, long length) throws StorageException {
        refuseIfClosed();
        files.truncate(name, length);
    }

    @Override
    public Map<SegmentName, Long> lengths(LogId log) throws StorageException {
        refuseIfClosed();
        return files.lengths(log);
    }

    @Override
    public void delete(SegmentName name) throws StorageException {
        refuseIfClosed();
        names.enter(name);
        try {
            endForDeletion(name);
            files.delete(name);
        } finally {
            names.leave(name);
        }
    }

    /** Ends its writing, and keeps the journals from restoring any of its bytes. */
    private void endForDeletion(SegmentName name) throws StorageException {
        try {
            OpenSegment segment = writing.get(name);
            if (segment != null) {
                segment.fence();
                segment.awaitSettled();
            }
            files.cutInJournal(name, 0);
            if (segment != null && writing.remove(name, segment)) {
                segment.drop();
            }
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be deleted", Effect.UNKNOWN, e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public void deleteLog(LogId log) throws StorageException {
        for (SegmentName name : list(log)) {
            names.enter(name);
            try {
                endForDeletion(name);
            } finally {
                names.leave(name);
            }
        }
        files.deleteLog(log);
    }

    @Override
    public void saveIndex(SegmentName name, byte[] index) throws StorageException {
        refuseIfClosed();
        files.saveIndex(name, index);
    }

    @Override
    public Optional<byte[]> loadIndex(SegmentName name) throws StorageException {
        refuseIfClosed();
        return files.loadIndex(name);
    }

    @Override
    public boolean appendsWait() {
        return files.appendsWait();
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        files.stop();
        copier.close();
        files.close(settleAll());
    }

    /** Returns whether all acknowledged bytes are in the files of segments. */
    private boolean settleAll() {
        boolean whole = true;
        for (Map.Entry<SegmentName, OpenSegment> each : List.copyOf(writing.entrySet())) {
            each.getValue().fence();
            try {
                settle(each.getKey(), each.getValue());
            } catch (StorageException e) {
                if (isOfDeleted(e)) {
                    each.getValue().journaled().ifPresent(this::dropDeleted);
                    continue;
                }
                whole = false;
                LOG.error("segment not written out; its journal is kept segment={}", each.getKey(), e);
            }
        }
        return whole;
    }

    private void refuseIfClosed() throws StorageException {
        if (closed.get()) {
            throw new StorageException(Reason.UNAVAILABLE, Effect.NONE, "the store is closed", null);
        }
    }
}
