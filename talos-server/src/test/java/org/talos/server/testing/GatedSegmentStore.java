// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.talos.common.error.Effect;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * A store in front of another one, whose seals and new segments stop at a gate, whose deletions fail when that is asked
 * for, and which remembers the order of what was done.
 *
 * <p>Thread-safe.
 */
public final class GatedSegmentStore implements SegmentStore {
    private final SegmentStore real;
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());
    private volatile Gate seals = new Gate(true);
    private volatile Gate creates = new Gate(true);
    private final AtomicInteger failingDeletions = new AtomicInteger();
    private volatile boolean refusesDeletions;
    private final AtomicInteger failingSeals = new AtomicInteger();
    private final AtomicInteger failingListings = new AtomicInteger();

    public GatedSegmentStore(SegmentStore real) {
        this.real = real;
    }

    /** Holds callers while it is shut. Thread-safe. */
    public static final class Gate {
        private final CountDownLatch open = new CountDownLatch(1);
        private final CountDownLatch reached = new CountDownLatch(1);

        Gate(boolean isOpen) {
            if (isOpen) {
                open();
            }
        }

        public void open() {
            open.countDown();
        }

        /** Waits until a caller stands at the gate. */
        public void awaitCaller() throws InterruptedException {
            reached.await();
        }

        void pass() {
            reached.countDown();
            try {
                open.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    /** From now on seals wait until the gate is opened. */
    public Gate shutSeals() {
        Gate gate = new Gate(false);
        seals = gate;
        return gate;
    }

    /** From now on segments are made once the gate is opened. */
    public Gate shutCreates() {
        Gate gate = new Gate(false);
        creates = gate;
        return gate;
    }

    /** Lets whoever waits continue. */
    public void openSeals() {
        seals.open();
    }

    /** Makes this number of deletions of logs fail. */
    public void failDeletions(int count) {
        failingDeletions.set(count);
    }

    /** Makes this number of seals fail. */
    public void failSeals(int count) {
        failingSeals.set(count);
    }

    /** Makes this number of listings of a log fail, and with them its opening. */
    public void failListing(int count) {
        failingListings.set(count);
    }

    private static void failIfAsked(AtomicInteger failing) throws StorageException {
        if (failing.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "not now", null);
        }
    }

    /** Has each deletion of a segment fail, or no more. */
    public void refuseDeletions(boolean refuses) {
        refusesDeletions = refuses;
    }

    /** Returns the operations, in order: {@code seal}, {@code delete} of a segment, {@code deleteLog}. */
    public List<String> done() {
        synchronized (done) {
            return List.copyOf(done);
        }
    }

    @Override
    public SegmentWriter create(SegmentName name, SegmentOptions options) throws StorageException {
        creates.pass();
        return new Writer(real.create(name, options));
    }

    /** Seals by way of the gate. */
    private final class Writer implements SegmentWriter {
        private final SegmentWriter writer;

        Writer(SegmentWriter writer) {
            this.writer = writer;
        }

        @Override
        public CompletableFuture<Void> append(List<ByteBuffer> bytes) {
            return writer.append(bytes);
        }

        @Override
        public long length() {
            return writer.length();
        }

        @Override
        public long seal() throws StorageException {
            seals.pass();
            failIfAsked(failingSeals);
            long length = writer.seal();
            done.add("seal");
            return length;
        }

        @Override
        public void close() {
            writer.close();
        }
    }

    @Override
    public int read(SegmentName name, long position, ByteBuffer target) throws StorageException {
        return real.read(name, position, target);
    }

    @Override
    public long recover(SegmentName name) throws StorageException {
        return real.recover(name);
    }

    @Override
    public void truncate(SegmentName name, long length) throws StorageException {
        real.truncate(name, length);
    }

    @Override
    public void sealedByAnother(SegmentName name) throws StorageException {
        real.sealedByAnother(name);
    }

    @Override
    public void endReads(LogId log, long epoch) {
        real.endReads(log, epoch);
    }

    @Override
    public Map<SegmentName, Long> lengths(LogId log) throws StorageException {
        failIfAsked(failingListings);
        return real.lengths(log);
    }

    @Override
    public void delete(SegmentName name) throws StorageException {
        if (refusesDeletions) {
            throw new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "not now", null);
        }
        real.delete(name);
        done.add("delete");
    }

    @Override
    public void deleteLog(LogId log) throws StorageException {
        if (failingDeletions.getAndDecrement() > 0) {
            throw new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "not now", null);
        }
        real.deleteLog(log);
        done.add("deleteLog");
    }

    @Override
    public void saveIndex(SegmentName name, byte[] index) throws StorageException {
        real.saveIndex(name, index);
    }

    @Override
    public Optional<byte[]> loadIndex(SegmentName name) throws StorageException {
        return real.loadIndex(name);
    }

    @Override
    public void close() {
        real.close();
    }
}
