// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.group;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rows.RowFormat;
import org.talos.server.metadata.rows.Table;
import org.talos.server.metadata.rows.Versioned;

/**
 * The committed offsets' rows: one for each group and partition, and one for each group that was reset. They outlive
 * the group's workers and locks.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class Offsets {
    /** Of version 1, a group's last reset had no target. */
    public static final RowFormat RESETS = new RowFormat(List.of(row -> row.put("target", "")));

    private final Table<CommittedOffset> table;
    private final Table<LastReset> resets;

    /** The offsets' rows in this store. */
    public Offsets(MetadataStore store) {
        this.table = new Table<>(store, 'o', CommittedOffset.class);
        this.resets = new Table<>(store, 'r', LastReset.class, RESETS);
    }

    /** The group's offset in the partition; empty if it never committed. */
    public Optional<Versioned<CommittedOffset>> find(String topicId, String group, int partition)
            throws MetadataException {
        return table.find(key(topicId, group).and(partition));
    }

    /** Writes the row if it has the expected version, 0 for a new one; returns its new version, or empty. */
    public OptionalLong save(String topicId, String group, int partition, CommittedOffset value, long expectedVersion)
            throws MetadataException {
        return table.save(key(topicId, group).and(partition), value, expectedVersion);
    }

    /** The group's offsets by partition. */
    public SortedMap<Integer, Versioned<CommittedOffset>> list(String topicId, String group) throws MetadataException {
        SortedMap<Integer, Versioned<CommittedOffset>> offsets = new TreeMap<>();
        for (Table.KeyedRow<CommittedOffset> found : table.list(key(topicId, group))) {
            offsets.put(found.key().number(2), found.row());
        }
        return offsets;
    }

    /** A group's checkpoint in a partition. Immutable. */
    public record OfGroup(String group, int partition, CommittedOffset committed) {}

    /** The first checkpoints of a topic's groups, at most so many. */
    public List<OfGroup> some(String topicId, int most) throws MetadataException {
        List<OfGroup> found = new ArrayList<>();
        for (Table.KeyedRow<CommittedOffset> each : table.first(table.all().and(topicId), most)) {
            found.add(new OfGroup(
                    each.key().text(1), each.key().number(2), each.row().value()));
        }
        return found;
    }

    /** A group's checkpoint in a partition of a topic. Immutable. */
    public record Listed(String topicId, String group, int partition, CommittedOffset committed) {}

    /**
     * Passes the checkpoints of all topics, or of one, to a consumer one after another. Of a row that cannot be read,
     * topic and group are passed to the other.
     */
    public void list(Optional<String> topicId, Consumer<Listed> found, BiConsumer<String, String> unreadable)
            throws MetadataException {
        RowKey prefix = topicId.isPresent() ? table.all().and(topicId.get()) : table.all();
        table.list(
                prefix,
                each -> found.accept(new Listed(
                        each.key().text(0),
                        each.key().text(1),
                        each.key().number(2),
                        each.row().value())),
                (key, why) -> unreadable.accept(key.text(0), key.text(1)));
    }

    /** The groups that have committed in the topic. */
    public Set<String> groups(String topicId) throws MetadataException {
        Set<String> groups = new LinkedHashSet<>();
        groups(topicId, groups::add);
        return groups;
    }

    /** Passes the groups that have committed in the topic to a consumer, each as often as it has rows. */
    public void groups(String topicId, Consumer<String> found) throws MetadataException {
        table.keys(table.all().and(topicId), key -> found.accept(key.text(1)));
    }

    /** Deletes the row if it has the expected version. */
    public boolean delete(String topicId, String group, int partition, long expectedVersion) throws MetadataException {
        return table.delete(key(topicId, group).and(partition), expectedVersion);
    }

    /** Deletes the offsets of all groups in the topic, and the notes of their resets. */
    public void deleteAll(String topicId) throws MetadataException {
        table.deleteAll(table.all().and(topicId));
        resets.deleteAll(resets.all().and(topicId));
    }

    /** Deletes the group's offsets in the topic, and the note of its last reset. */
    public void deleteAll(String topicId, String group) throws MetadataException {
        table.deleteAll(key(topicId, group));
        resets.deleteAny(resets.all().and(topicId).and(group));
    }

    /** The group's offsets at one moment: the versions of their rows, which need not be readable. Immutable. */
    public record Committed(String topicId, String group, SortedMap<RowKey, Long> versions) {
        public Committed {
            versions = Collections.unmodifiableSortedMap(new TreeMap<>(versions));
        }
    }

    /** The group's offsets as they are now, for {@link #delete(Committed)}. */
    public Committed committed(String topicId, String group) throws MetadataException {
        return new Committed(topicId, group, table.versions(key(topicId, group)));
    }

    /**
     * Deletes the note of the group's last reset, and then those of its offsets that have not changed since; returns
     * false if some have.
     */
    public boolean delete(Committed committed) throws MetadataException {
        resets.deleteAny(resets.all().and(committed.topicId()).and(committed.group()));
        try {
            return table.deleteAll(committed.versions());
        } catch (MetadataException e) {
            throw new MetadataException(e.reason(), Effect.UNKNOWN, "the last reset may be forgotten", e);
        }
    }

    /** The group's last reset; empty if it was never reset, or that has been undone. */
    public Optional<Versioned<LastReset>> lastReset(String topicId, String group) throws MetadataException {
        return resets.find(resets.all().and(topicId).and(group));
    }

    /** Writes the group's last reset if the row has the expected version, 0 for a new one; false if it has not. */
    public boolean saveReset(String topicId, String group, LastReset reset, long expectedVersion)
            throws MetadataException {
        return resets.save(resets.all().and(topicId).and(group), reset, expectedVersion)
                .isPresent();
    }

    /** Forgets the group's last reset if the row has the expected version. */
    public boolean deleteReset(String topicId, String group, long expectedVersion) throws MetadataException {
        return resets.delete(resets.all().and(topicId).and(group), expectedVersion);
    }

    private RowKey key(String topicId, String group) {
        return table.all().and(topicId).and(group);
    }
}
