// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;

/**
 * A metadata store whose n-th write from now fails, before or after it has taken effect: the caller cannot tell.
 *
 * <p>Thread-safe.
 */
public final class FailingMetadataStore implements MetadataStore {
    private final MetadataStore real;
    private final AtomicInteger untilFailure = new AtomicInteger(-1);
    private final AtomicInteger failingReads = new AtomicInteger();
    private final AtomicInteger passingReads = new AtomicInteger();
    private final AtomicInteger failingScans = new AtomicInteger();
    private final AtomicInteger scannedRows = new AtomicInteger();
    private volatile Reason scansFailFor = Reason.UNAVAILABLE;
    private final AtomicInteger untilMeanwhile = new AtomicInteger(-1);
    private volatile Runnable meanwhile = () -> {};
    private volatile boolean takesEffect;
    private volatile Effect failureEffect = Effect.UNKNOWN;
    private volatile Reason failureReason = Reason.UNAVAILABLE;

    /** Passes everything on until asked to fail. */
    public FailingMetadataStore(MetadataStore real) {
        this.real = real;
    }

    /** Lets {@code writes} pass and fails the next one, whose effect is unknown to the caller. */
    public void failAfter(int writes, boolean effect) {
        takesEffect = effect;
        failureEffect = Effect.UNKNOWN;
        failureReason = Reason.UNAVAILABLE;
        untilFailure.set(writes);
    }

    /** Lets {@code writes} pass and refuses the next one, which certainly has no effect. */
    public void refuseAfter(int writes) {
        refuseAfter(writes, Reason.BUSY);
    }

    /** Lets {@code writes} pass and refuses the next one for this reason. The refused write has no effect. */
    public void refuseAfter(int writes, Reason why) {
        takesEffect = false;
        failureEffect = Effect.NONE;
        failureReason = why;
        untilFailure.set(writes);
    }

    /** Lets {@code writes} pass and does something before the next one: what another server does meanwhile. */
    public void beforeWrite(int writes, Runnable other) {
        meanwhile = other;
        untilMeanwhile.set(writes);
    }

    private void beforeWrite() {
        if (untilMeanwhile.getAndDecrement() == 0) {
            meanwhile.run();
        }
    }

    /** Makes this number of reads of a row fail from now on. */
    public void failReads(int count) {
        failReadsAfter(0, count);
    }

    /** Lets {@code reads} of a row pass and fails so many after them. */
    public void failReadsAfter(int reads, int count) {
        passingReads.set(reads);
        failingReads.set(count);
    }

    /** Makes this number of scans fail from now on, for this reason. */
    public void failScans(int count, Reason reason) {
        scansFailFor = reason;
        failingScans.set(count);
    }

    @Override
    public Optional<Row> get(RowKey key) throws MetadataException {
        if (passingReads.getAndUpdate(left -> Math.max(0, left - 1)) == 0
                && failingReads.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new MetadataException(Reason.UNAVAILABLE, Effect.NONE, "made to fail");
        }
        return real.get(key);
    }

    @Override
    public List<Row> scan(RowKey prefix, int limit) throws MetadataException {
        if (failingScans.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new MetadataException(scansFailFor, Effect.NONE, "made to fail");
        }
        return counted(real.scan(prefix, limit));
    }

    @Override
    public List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException {
        return counted(real.scanAfter(prefix, after, limit));
    }

    @Override
    public List<Row> scanBeginnings(RowKey prefix, RowKey after, int limit, int valueBytes) throws MetadataException {
        return counted(real.scanBeginnings(prefix, after, limit, valueBytes));
    }

    private List<Row> counted(List<Row> rows) {
        scannedRows.addAndGet(rows.size());
        return rows;
    }

    /** Returns how many rows scans have given. */
    public int scannedRows() {
        return scannedRows.get();
    }

    @Override
    public OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException {
        beforeWrite();
        boolean fails = untilFailure.getAndDecrement() == 0;
        OptionalLong version =
                fails && !takesEffect ? OptionalLong.empty() : real.compareAndSet(key, expectedVersion, value);
        if (fails) {
            throw failure();
        }
        return version;
    }

    @Override
    public boolean compareAndDelete(RowKey key, long expectedVersion) throws MetadataException {
        beforeWrite();
        boolean fails = untilFailure.getAndDecrement() == 0;
        boolean deleted = (!fails || takesEffect) && real.compareAndDelete(key, expectedVersion);
        if (fails) {
            throw failure();
        }
        return deleted;
    }

    private MetadataException failure() {
        return new MetadataException(failureReason, failureEffect, "made to fail");
    }

    @Override
    public void close() {
        real.close();
    }
}
