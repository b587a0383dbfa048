// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.talos.common.error.Effect;
import org.talos.server.log.SegmentCatalog;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.partition.PartitionRecord;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.partition.SegmentRecord;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * A log's catalog in the partition's row of the metadata. Each change is a compare-and-set by the version that this
 * owner wrote last, so an owner with a successor can change nothing.
 *
 * <p>Thread-safe.
 */
final class RowCatalog implements SegmentCatalog {
    private static final String NOBODY = "";

    private final LogId id;
    private final Partitions partitions;
    private final long epoch;

    @GuardedBy("this")
    private Versioned<PartitionRecord> row;

    @GuardedBy("this")
    private boolean released;

    private RowCatalog(LogId id, Partitions partitions, Versioned<PartitionRecord> row) {
        this.id = id;
        this.partitions = partitions;
        this.row = row;
        epoch = row.value().epoch();
    }

    /** Returns a partition's row; that of a partition without one has no owner. */
    static PartitionRecord record(Optional<Versioned<PartitionRecord>> row) {
        return row.map(Versioned::value).orElse(new PartitionRecord(0, NOBODY, 0, List.of()));
    }

    /** Returns whether the partition has no owner: its last owner has released it, or there was none. */
    static boolean isReleased(PartitionRecord record) {
        return record.owner().equals(NOBODY);
    }

    /**
     * Takes over the partition, under the next epoch: every earlier owner's next change fails.
     *
     * @param before its row, as read by the caller that decided that it may be taken
     * @param owner this process
     * @throws StorageException FENCED: another process has taken it since the row was read, and keeps it
     */
    static RowCatalog takeOver(
            LogId id, Partitions partitions, Optional<Versioned<PartitionRecord>> before, String owner)
            throws MetadataException, StorageException {
        PartitionRecord record = record(before);
        PartitionRecord next = record.ownedBy(record.epoch() + 1, owner);
        long expected = before.map(Versioned::version).orElse(0L);
        OptionalLong version = partitions.save(id.topicId(), id.partition(), next, expected);
        if (version.isEmpty()) {
            throw overtaken(id, partitions, owner);
        }
        return new RowCatalog(id, partitions, new Versioned<>(next, version.getAsLong()));
    }

    /** The row has changed in between: by another process, or by a write of this one whose answer was lost. */
    private static StorageException overtaken(LogId id, Partitions partitions, String owner) throws MetadataException {
        boolean own = partitions
                .find(id.topicId(), id.partition())
                .filter(row -> row.value().owner().equals(owner))
                .isPresent();
        return own
                ? new StorageException(Reason.UNAVAILABLE, Effect.NONE, "partition " + id + " changed meanwhile", null)
                : taken(id);
    }

    /** Returns the row, if it says that a process has the partition. */
    static Optional<RowCatalog> held(LogId id, Partitions partitions, String owner) throws MetadataException {
        return partitions
                .find(id.topicId(), id.partition())
                .filter(row -> row.value().owner().equals(owner))
                .map(row -> new RowCatalog(id, partitions, row));
    }

    static StorageException taken(LogId id) {
        return new StorageException(Reason.FENCED, Effect.NONE, "partition " + id + " was taken by another", null);
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public synchronized long startOffset() {
        return row.value().startOffset();
    }

    @Override
    public synchronized List<Known> segments() {
        return row.value().segments().stream()
                .map(each -> new Known(
                        new SegmentName(id, each.baseOffset(), each.epoch()),
                        state(each.state()),
                        each.endOffset(),
                        each.bytes(),
                        each.lastAppendTimestamp()))
                .toList();
    }

    private static State state(SegmentRecord.State state) {
        return switch (state) {
            case PLANNED -> State.PLANNED;
            case MADE -> State.MADE;
            case SEALED -> State.SEALED;
            case OPEN -> State.OPEN;
        };
    }

    @Override
    public void add(SegmentName name) throws StorageException {
        change(record -> {
            List<SegmentRecord> segments = new ArrayList<>(record.segments());
            segments.add(SegmentRecord.planned(name.baseOffset(), name.epoch()));
            return record.with(record.startOffset(), segments);
        });
    }

    @Override
    public void made(SegmentName name) throws StorageException {
        change(record -> record.with(
                record.startOffset(),
                record.segments().stream()
                        .map(each -> isNamed(each, name) ? each.made() : each)
                        .toList()));
    }

    @Override
    public void seal(Known sealed) throws StorageException {
        change(record -> record.with(
                record.startOffset(),
                record.segments().stream()
                        .map(each -> isNamed(each, sealed.name())
                                ? each.seal(sealed.endOffset(), sealed.bytes(), sealed.lastAppendTimestamp())
                                : each)
                        .toList()));
    }

    @Override
    public void addGap(Known gap) throws StorageException {
        SegmentName name = gap.name();
        change(record -> {
            List<SegmentRecord> segments = new ArrayList<>(record.segments());
            segments.add(SegmentRecord.planned(name.baseOffset(), name.epoch())
                    .seal(gap.endOffset(), gap.bytes(), gap.lastAppendTimestamp()));
            return record.with(record.startOffset(), segments);
        });
    }

    @Override
    public boolean isOver(SegmentName name) throws StorageException {
        try {
            return partitions
                    .find(id.topicId(), id.partition())
                    .map(Versioned::value)
                    .filter(found -> found.segments().stream().anyMatch(each -> !each.sealed() && isNamed(each, name)))
                    .isEmpty();
        } catch (MetadataException e) {
            throw unavailable(e);
        }
    }

    @Override
    public void remove(SegmentName name, long startOffset) throws StorageException {
        change(record -> record.with(
                startOffset,
                record.segments().stream().filter(each -> !isNamed(each, name)).toList()));
    }

    @Override
    public synchronized long readableFrom() {
        return row.value().readableFrom();
    }

    @Override
    public void readFrom(long offset) throws StorageException {
        change(record -> record.from(offset));
    }

    /** Notes that the owner writes no more: the next one need not wait for this process to end. */
    synchronized void release() throws StorageException {
        if (!released) {
            change(record -> record.ownedBy(record.epoch(), NOBODY));
            released = true;
        }
    }

    /** Returns whether the owner has released it. */
    synchronized boolean isReleased() {
        return isReleased(row.value());
    }

    /** Returns whether an unsealed segment was begun under this epoch or a later one. */
    synchronized boolean hasUnsealedSince(long firstEpoch) {
        return row.value().segments().stream().anyMatch(each -> !each.sealed() && each.epoch() >= firstEpoch);
    }

    private static boolean isNamed(SegmentRecord segment, SegmentName name) {
        return segment.baseOffset() == name.baseOffset() && segment.epoch() == name.epoch();
    }

    private synchronized void change(UnaryOperator<PartitionRecord> change) throws StorageException {
        if (released) {
            throw new StorageException(Reason.FENCED, Effect.NONE, "partition " + id + " was released", null);
        }
        PartitionRecord next = change.apply(row.value());
        try {
            OptionalLong version = partitions.save(id.topicId(), id.partition(), next, row.version());
            if (version.isEmpty()) {
                throw new StorageException(Reason.FENCED, Effect.NONE, "partition " + id + " has another owner", null);
            }
            row = new Versioned<>(next, version.getAsLong());
        } catch (MetadataException e) {
            throw unavailable(e);
        }
    }

    private static StorageException unavailable(MetadataException e) {
        Reason reason = e.reason() == MetadataException.Reason.FULL ? Reason.FULL : Reason.UNAVAILABLE;
        return new StorageException(reason, e.effect(), "metadata failed: " + e.getMessage(), e);
    }
}
