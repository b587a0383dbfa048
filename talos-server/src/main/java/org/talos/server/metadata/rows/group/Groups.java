// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.group;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
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
 * The consumer groups' rows: workers and locks of a group on a topic.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class Groups {
    /** Of version 1, a group and its workers had no user. */
    public static final RowFormat FORMAT = new RowFormat(List.of(Groups::ofNobody));

    private final Table<GroupRecord> table;

    /** The groups' rows in this store. */
    public Groups(MetadataStore store) {
        this.table = new Table<>(store, 'g', GroupRecord.class, FORMAT);
    }

    /** Before, a group and its workers had no owner. */
    private static ObjectNode ofNobody(ObjectNode row) {
        row.put("owner", "").putObject("grants");
        if (row.path("workers") instanceof ObjectNode workers) {
            for (Map.Entry<String, JsonNode> worker : workers.properties()) {
                ObjectNode known = JsonNodeFactory.instance.objectNode();
                known.set("heartbeat", worker.getValue());
                worker.setValue(known.put("user", ""));
            }
        }
        return row;
    }

    /** The group's row; empty if it has none. */
    public Optional<Versioned<GroupRecord>> find(String topicId, String group) throws MetadataException {
        return table.find(key(topicId, group));
    }

    /** The group's row; the one that is known already if the row still has its version, without decoding it. */
    public Optional<Versioned<GroupRecord>> find(String topicId, String group, Optional<Versioned<GroupRecord>> known)
            throws MetadataException {
        return table.find(key(topicId, group), known);
    }

    /** Writes the row if it has the expected version, 0 for a new one; returns its new version, or empty. */
    public OptionalLong save(String topicId, String group, GroupRecord value, long expectedVersion)
            throws MetadataException {
        return table.save(key(topicId, group), value, expectedVersion);
    }

    /** Deletes the row, whatever its version. */
    public void delete(String topicId, String group) throws MetadataException {
        table.deleteAny(key(topicId, group));
    }

    /** Deletes the row if it has the expected version: a member that has joined since is kept. */
    public boolean delete(String topicId, String group, long expectedVersion) throws MetadataException {
        return table.delete(key(topicId, group), expectedVersion);
    }

    /** Deletes the rows of all groups of the topic. */
    public void deleteAll(String topicId) throws MetadataException {
        table.deleteAll(table.all().and(topicId));
    }

    /** Returns the number of a topic's groups. */
    public int count(String topicId) throws MetadataException {
        return table.count(table.all().and(topicId));
    }

    /**
     * Returns the number of a topic's groups that a user owns, without decoding their rows: rows that this version did
     * not write have no owner, or are not readable.
     */
    public int count(String topicId, String owner) throws MetadataException {
        GroupRecord of = new GroupRecord(owner, Map.of(), Map.of(), Map.of());
        return table.count(table.all().and(topicId), of, "grants");
    }

    /** The groups of a topic by name. */
    public SortedMap<String, Versioned<GroupRecord>> list(String topicId) throws MetadataException {
        SortedMap<String, Versioned<GroupRecord>> groups = new TreeMap<>();
        for (Table.KeyedRow<GroupRecord> found : table.list(table.all().and(topicId))) {
            groups.put(found.key().text(1), found.row());
        }
        return groups;
    }

    /** A group's row and its names. Immutable. */
    public record Listed(String topicId, String group, GroupRecord row) {}

    /**
     * Passes the groups of all topics, or of one, to a consumer one after another. Of a row that cannot be read, topic
     * and group are passed to the other.
     */
    public void list(Optional<String> topicId, Consumer<Listed> found, BiConsumer<String, String> unreadable)
            throws MetadataException {
        RowKey prefix = topicId.isPresent() ? table.all().and(topicId.get()) : table.all();
        table.list(
                prefix,
                each -> found.accept(new Listed(
                        each.key().text(0), each.key().text(1), each.row().value())),
                (key, why) -> unreadable.accept(key.text(0), key.text(1)));
    }

    /** Passes the names of a topic's groups to a consumer one after another, without their rows. */
    public void names(String topicId, Consumer<String> found) throws MetadataException {
        table.keys(table.all().and(topicId), key -> found.accept(key.text(1)));
    }

    private RowKey key(String topicId, String group) {
        return table.all().and(topicId).and(group);
    }
}
