// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.LastReset;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.service.call.DiskRoom;
import org.talos.thrift.ErrorCode;

/**
 * Reads and changes the committed offsets of groups: each change is one atomic step on the partition's row.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class GroupOffsets {
    private final TopicDirectory directory;
    private final Offsets offsets;
    private final DiskRoom disk;

    /** @param disk has room for a group's first commit in a partition; otherwise that is refused */
    public GroupOffsets(TopicDirectory directory, Offsets offsets, DiskRoom disk) {
        this.directory = directory;
        this.offsets = offsets;
        this.disk = disk;
    }

    /** Returns the offset to store in place of the stored one; empty to keep that. May run several times. */
    @FunctionalInterface
    interface Step {
        Optional<CommittedOffset> next(Optional<CommittedOffset> stored) throws MetadataException;
    }

    Optional<CommittedOffset> find(TopicRecord topic, String group, int partition) throws MetadataException {
        return offsets.find(topic.topicId(), group, partition).map(Versioned::value);
    }

    /** Returns the groups that have committed in the topic. */
    Set<String> groups(TopicRecord topic) throws MetadataException {
        return offsets.groups(topic.topicId());
    }

    /** Returns the committed offsets of a group, by partition. */
    SortedMap<Integer, CommittedOffset> list(TopicRecord topic, String group) throws MetadataException {
        SortedMap<Integer, CommittedOffset> all = new TreeMap<>();
        offsets.list(topic.topicId(), group).forEach((partition, row) -> all.put(partition, row.value()));
        return all;
    }

    /** Reads the committed offsets of some partitions in one step, with the versions of their rows. */
    Map<Integer, Versioned<CommittedOffset>> read(TopicRecord topic, String group, Set<Integer> partitions)
            throws MetadataException {
        Map<Integer, Versioned<CommittedOffset>> found = new HashMap<>();
        if (partitions.size() == 1) {
            int only = partitions.iterator().next();
            offsets.find(topic.topicId(), group, only).ifPresent(row -> found.put(only, row));
        } else if (!partitions.isEmpty()) {
            found.putAll(offsets.list(topic.topicId(), group));
        }
        return found;
    }

    /**
     * Refuses first offsets of a group in their partitions, if the disk has no room for them.
     *
     * @throws TalosException HBASE_OPERATION_FAILED, effect NONE
     */
    void requireRoom() {
        disk.require();
    }

    /**
     * Replaces the row that was read; returns false if the row has changed since.
     *
     * @throws TalosException HBASE_OPERATION_FAILED, effect NONE: there was no row, and the disk has no room for one
     */
    boolean replace(
            TopicRecord topic,
            String group,
            int partition,
            Optional<Versioned<CommittedOffset>> read,
            CommittedOffset next)
            throws MetadataException {
        if (read.isEmpty()) {
            disk.require();
        }
        long version = read.map(Versioned::version).orElse(0L);
        if (offsets.save(topic.topicId(), group, partition, next, version).isEmpty()) {
            return false;
        }
        requireTopic(topic, group);
        return true;
    }

    /** Changes one offset in one step; returns false if the step kept the stored one. */
    boolean change(TopicRecord topic, String group, int partition, Step step) throws MetadataException {
        for (int attempt = 0; attempt < GroupRows.MAX_TRIES; attempt++) {
            Optional<Versioned<CommittedOffset>> row = offsets.find(topic.topicId(), group, partition);
            Optional<CommittedOffset> next = step.next(row.map(Versioned::value));
            if (next.isEmpty()) {
                return false;
            }
            if (replace(topic, group, partition, row, next.get())) {
                return true;
            }
        }
        throw GroupRows.tooManyTries();
    }

    /** Removes the group's commits of the partition. */
    void remove(TopicRecord topic, String group, int partition) throws MetadataException {
        for (int attempt = 0; attempt < GroupRows.MAX_TRIES; attempt++) {
            Optional<Versioned<CommittedOffset>> row = offsets.find(topic.topicId(), group, partition);
            if (row.isEmpty()
                    || offsets.delete(
                            topic.topicId(), group, partition, row.get().version())) {
                return;
            }
        }
        throw GroupRows.tooManyTries();
    }

    /** Returns the group's last reset, if it has not been undone. */
    Optional<Versioned<LastReset>> lastReset(TopicRecord topic, String group) throws MetadataException {
        return offsets.lastReset(topic.topicId(), group);
    }

    /**
     * Replaces the note of a reset that was read. Call it before the reset moves anything.
     *
     * @return false if another reset or an undo has changed the note since
     */
    boolean noteReset(TopicRecord topic, String group, Optional<Versioned<LastReset>> read, LastReset reset)
            throws MetadataException {
        if (read.isEmpty()) {
            disk.require();
        }
        long version = read.map(Versioned::version).orElse(0L);
        if (!offsets.saveReset(topic.topicId(), group, reset, version)) {
            return false;
        }
        requireTopic(topic, group);
        return true;
    }

    /** Forgets a reset that has been undone, unless there has been another one since. */
    void forgetReset(TopicRecord topic, String group, Versioned<LastReset> undone) throws MetadataException {
        var unused = offsets.deleteReset(topic.topicId(), group, undone.version());
    }

    /** Returns the versions of a group's offsets, for {@link #delete}. */
    Offsets.Committed versions(TopicRecord topic, String group) throws MetadataException {
        return offsets.committed(topic.topicId(), group);
    }

    /** Deletes a group's last reset, and the offsets that have not changed since; returns false if some have. */
    boolean delete(Offsets.Committed committed) throws MetadataException {
        return offsets.delete(committed);
    }

    /** Deletes an offset stored while its topic was being deleted: the sweep may have missed it. */
    private void requireTopic(TopicRecord topic, String group) throws MetadataException {
        if (directory.byId(topic.topicId()).isEmpty()) {
            offsets.deleteAll(topic.topicId(), group);
            throw TalosException.refused(ErrorCode.TOPIC_NOT_EXIST, "no topic " + topic.resourceName());
        }
    }
}
