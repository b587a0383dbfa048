// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.time.InstantSource;
import java.util.Optional;
import org.talos.server.auth.SessionEnds;
import org.talos.server.auth.UserAdmin;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.cache.TopicMemory;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.TopicGroups;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.metadata.rows.user.UserSessions;
import org.talos.server.runtime.Readiness;

/**
 * The rows that the services read and change. Topics, quotas, users, and ends of sessions are also kept in memory.
 * Immutable.
 *
 * @param directory the topics in memory
 */
public record Repositories(
        StoredTopics stored,
        TopicDirectory directory,
        Groups groups,
        Offsets offsets,
        Quotas quotas,
        UserAdmin users,
        SessionEnds sessions) {
    /** The rows about topics, each of which is read when it is needed. Immutable. */
    public record StoredTopics(Topics topics, Partitions partitions, TopicGroups groups) {}

    /** Reads the cached rows from a store. Blocks. */
    public static Repositories load(MetadataStore store, UserAdmin users, InstantSource clock)
            throws MetadataException {
        return load(store, users, clock, TopicMemory.unbounded());
    }

    /** Creates the same, with as many topics as fit into memory. */
    public static Repositories load(MetadataStore store, UserAdmin users, InstantSource clock, TopicMemory memory)
            throws MetadataException {
        Topics topics = new Topics(store);
        return new Repositories(
                new StoredTopics(topics, new Partitions(store), new TopicGroups(store)),
                TopicDirectory.load(topics, memory),
                new Groups(store),
                new Offsets(store),
                Quotas.load(store),
                users,
                SessionEnds.load(new UserSessions(store), clock));
    }

    /** Warns operators of topics that are not loaded. */
    public void show(Readiness readiness) {
        readiness.warn("topics", () -> {
            int left = directory.notLoaded();
            return left == 0
                    ? Optional.empty()
                    : Optional.of((directory.isIncomplete() ? "more than " : "") + left
                            + " topics are not loaded, the heap is too small for them: increase it");
        });
    }
}
