// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import org.talos.server.auth.UserAdmin;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.Groups;
import org.talos.server.metadata.rows.Offsets;
import org.talos.server.metadata.rows.Quotas;
import org.talos.server.metadata.rows.TopicGroups;
import org.talos.server.metadata.rows.Topics;

/**
 * The rows that the services read and change, of which topics, quotas and users are also kept in memory. Immutable.
 *
 * @param directory the topics in memory
 */
public record Repositories(
        Topics topics,
        TopicDirectory directory,
        Groups groups,
        Offsets offsets,
        Quotas quotas,
        TopicGroups topicGroups,
        UserAdmin users) {
    /** Reads from a store what is kept in memory. Blocks. */
    public static Repositories load(MetadataStore store, UserAdmin users) throws MetadataException {
        Topics topics = new Topics(store);
        return new Repositories(
                topics,
                TopicDirectory.load(topics),
                new Groups(store),
                new Offsets(store),
                Quotas.load(store),
                new TopicGroups(store),
                users);
    }
}
