// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import org.talos.common.error.Effect;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/** A partition's row in memory, with one view for each owner; only the last may change it. Thread-safe. */
public final class MemoryCatalog {
    @GuardedBy("this")
    private final List<SegmentCatalog.Known> segments = new ArrayList<>();

    @GuardedBy("this")
    private long epoch;

    @GuardedBy("this")
    private long startOffset;

    @GuardedBy("this")
    private long readableFrom;

    @GuardedBy("this")
    private long changesLeft = Long.MAX_VALUE;

    @GuardedBy("this")
    private boolean answerIsLost;

    /** The row under the next epoch. */
    public synchronized SegmentCatalog takeOver() {
        return new Owned(++epoch);
    }

    /** The row's segments. */
    public synchronized List<SegmentCatalog.Known> segments() {
        return List.copyOf(segments);
    }

    /**
     * Makes changes fail from now on, after a number of them that succeed.
     *
     * @param answerLost whether the first that fails is made all the same
     */
    public synchronized void failAfter(long changes, boolean answerLost) {
        changesLeft = changes;
        answerIsLost = answerLost;
    }

    /** Makes changes succeed again. */
    public synchronized void heal() {
        changesLeft = Long.MAX_VALUE;
    }

    /** The row has a segment, made by an earlier owner. */
    synchronized void has(SegmentName name) {
        epoch++;
        segments.add(SegmentCatalog.Known.unsealed(name, SegmentCatalog.State.MADE));
    }

    /** The row has a segment as an earlier owner, or an earlier version, has left it. */
    synchronized void has(SegmentCatalog.Known segment) {
        epoch++;
        segments.add(segment);
    }

    /** The log is deleted, by another owner. */
    synchronized void delete() {
        epoch++;
        segments.clear();
    }

    private synchronized boolean isOver(SegmentName name) {
        return segments.stream().noneMatch(each -> !each.sealed() && each.name().equals(name));
    }

    synchronized SegmentName last() {
        return segments.get(segments.size() - 1).name();
    }

    private synchronized void begin(long owner) throws StorageException {
        if (owner != epoch) {
            throw new StorageException(Reason.FENCED, Effect.NONE, "epoch " + epoch + " owns it", null);
        }
        if (changesLeft < 0 || (changesLeft == 0 && !answerIsLost)) {
            throw new StorageException(Reason.UNAVAILABLE, Effect.NONE, "no change, as a fault was asked for", null);
        }
    }

    private synchronized void end() throws StorageException {
        changesLeft--;
        if (changesLeft < 0) {
            throw new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "answer lost, as was asked for", null);
        }
    }

    /** One owner's view. */
    private final class Owned implements SegmentCatalog {
        private final long owner;

        Owned(long owner) {
            this.owner = owner;
        }

        @Override
        public long epoch() {
            return owner;
        }

        @Override
        public long startOffset() {
            synchronized (MemoryCatalog.this) {
                return startOffset;
            }
        }

        @Override
        public long readableFrom() {
            synchronized (MemoryCatalog.this) {
                return Math.max(startOffset, readableFrom);
            }
        }

        @Override
        public void readFrom(long offset) throws StorageException {
            synchronized (MemoryCatalog.this) {
                begin(owner);
                readableFrom = Math.max(readableFrom, offset);
                end();
            }
        }

        @Override
        public List<Known> segments() {
            return MemoryCatalog.this.segments();
        }

        @Override
        public void add(SegmentName name) throws StorageException {
            synchronized (MemoryCatalog.this) {
                begin(owner);
                segments.add(Known.unsealed(name, State.PLANNED));
                end();
            }
        }

        @Override
        public void made(SegmentName name) throws StorageException {
            synchronized (MemoryCatalog.this) {
                begin(owner);
                segments.replaceAll(each -> each.name().equals(name) ? Known.unsealed(name, State.MADE) : each);
                end();
            }
        }

        @Override
        public void seal(Known sealed) throws StorageException {
            synchronized (MemoryCatalog.this) {
                begin(owner);
                segments.replaceAll(each -> each.name().equals(sealed.name()) ? sealed : each);
                end();
            }
        }

        @Override
        public void addGap(Known gap) throws StorageException {
            synchronized (MemoryCatalog.this) {
                begin(owner);
                segments.add(gap);
                end();
            }
        }

        @Override
        public boolean isOver(SegmentName name) {
            return MemoryCatalog.this.isOver(name);
        }

        @Override
        public void remove(SegmentName name, long start) throws StorageException {
            synchronized (MemoryCatalog.this) {
                begin(owner);
                segments.removeIf(each -> each.name().equals(name));
                startOffset = start;
                end();
            }
        }
    }
}
