// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.partition;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rows.RowFormat;
import org.talos.server.metadata.rows.Table;
import org.talos.server.metadata.rows.Versioned;

/**
 * The partitions' rows: epoch and segments.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class Partitions {
    private static final String START_OFFSET = "startOffset";
    private static final String READABLE_FROM = "readableFrom";

    /**
     * Of version 1, a row had no owner; before version 3, a segment had no state; before version 4, a partition could
     * be read from its start.
     */
    public static final RowFormat FORMAT = new RowFormat(
            List.of(
                    row -> row.put("owner", ""),
                    Partitions::withStatesOfSegments,
                    row -> row.put(READABLE_FROM, row.path(START_OFFSET).longValue())),
            Partitions::isReadableFromItsStart);

    private static final int PAGE_ROWS = 500;

    private final Table<PartitionRecord> table;

    /** The partitions' rows in this store. */
    public Partitions(MetadataStore store) {
        this.table = new Table<>(store, 'p', PartitionRecord.class, FORMAT);
    }

    /** Before, a segment was sealed or not. */
    private static ObjectNode withStatesOfSegments(ObjectNode row) {
        for (JsonNode segment : row.path("segments")) {
            if (segment instanceof ObjectNode fields && fields.path("sealed").isBoolean()) {
                boolean sealed = fields.remove("sealed").booleanValue();
                fields.put("state", (sealed ? SegmentRecord.State.SEALED : SegmentRecord.State.OPEN).name());
            }
        }
        return row;
    }

    /** Returns whether nothing of the segments is deleted, and then removes the field that version 3 does not have. */
    private static boolean isReadableFromItsStart(ObjectNode row) {
        boolean all =
                row.path(READABLE_FROM).longValue() == row.path(START_OFFSET).longValue();
        if (all) {
            row.remove(READABLE_FROM);
        }
        return all;
    }

    /** The partition's row; empty if it was never opened. */
    public Optional<Versioned<PartitionRecord>> find(String topicId, int partition) throws MetadataException {
        return table.find(key(topicId, partition));
    }

    /** Writes the row if it has the expected version, 0 for a new one; returns its new version, or empty. */
    public OptionalLong save(String topicId, int partition, PartitionRecord value, long expectedVersion)
            throws MetadataException {
        return table.save(key(topicId, partition), value, expectedVersion);
    }

    /** Deletes the row, whatever its owner: the owner's next write by version fails. */
    public void delete(String topicId, int partition) throws MetadataException {
        table.deleteAny(key(topicId, partition));
    }

    /** The topic's partitions that have a row. */
    public SortedMap<Integer, Versioned<PartitionRecord>> list(String topicId) throws MetadataException {
        SortedMap<Integer, Versioned<PartitionRecord>> partitions = new TreeMap<>();
        for (Table.KeyedRow<PartitionRecord> found : table.list(table.all().and(topicId))) {
            partitions.put(found.key().number(1), found.row());
        }
        return partitions;
    }

    /** Returns the owner epochs of the topic's partitions that have a row. */
    public SortedMap<Integer, Long> epochs(String topicId) throws MetadataException {
        SortedMap<Integer, Long> epochs = new TreeMap<>();
        table.list(
                table.all().and(topicId),
                found -> epochs.put(found.key().number(1), found.row().value().epoch()));
        return epochs;
    }

    /**
     * A partition's row and its name. Immutable.
     *
     * @param partition from 0
     */
    public record Listed(String topicId, int partition, PartitionRecord row) {}

    /** All partitions of all topics, in order; of a row that cannot be read the other learns why. */
    public void list(Consumer<Listed> found, BiConsumer<String, MetadataException> unreadable)
            throws MetadataException {
        table.list(
                table.all(),
                each -> found.accept(new Listed(
                        each.key().text(0), each.key().number(1), each.row().value())),
                (key, why) -> unreadable.accept(key.text(0) + "/" + key.number(1), why));
    }

    /** The first partitions of any topics that have a segment whose file is whole, at most so many. */
    public List<Listed> someWithWholeFile(int most) throws MetadataException {
        List<Listed> found = new ArrayList<>();
        Optional<RowKey> last = Optional.of(table.all());
        while (last.isPresent() && found.size() < most) {
            List<Table.KeyedRow<PartitionRecord>> page = table.listAfter(last.get(), PAGE_ROWS);
            page.stream()
                    .filter(each -> each.row().value().segments().stream().anyMatch(SegmentRecord::hasWholeFile))
                    .limit(most - found.size())
                    .map(each -> new Listed(
                            each.key().text(0), each.key().number(1), each.row().value()))
                    .forEach(found::add);
            last = page.size() < PAGE_ROWS
                    ? Optional.empty()
                    : Optional.of(page.get(PAGE_ROWS - 1).key());
        }
        return found;
    }

    private RowKey key(String topicId, int partition) {
        return table.all().and(topicId).and(partition);
    }
}
