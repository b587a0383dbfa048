// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.Optional;
import java.util.function.Function;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.Principal;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.service.call.TopicLookup;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Finds the group that a request names, for a caller with a permission on its topic, or fails with the reason. The
 * readers of the group's row check the caller's rights on the group.
 *
 * <p>Thread-safe; reads memory only.
 */
public final class GroupLookup {
    private final TopicLookup topics;
    private final Function<String, Optional<Principal>> users;

    /** @param users resolves users, as far as they are known */
    public GroupLookup(TopicLookup topics, Function<String, Optional<Principal>> users) {
        this.topics = topics;
        this.users = users;
    }

    GroupAccess byName(GroupName name, Principal caller, Permission needed) {
        return checked(topics.byEitherName(name.topic()), name.group(), caller, needed);
    }

    GroupAccess byResourceName(TopicTalosResourceName topic, String group, Principal caller) {
        return checked(topics.byResourceName(topic), group, caller, Permission.GET_MESSAGE);
    }

    GroupAccess byPartition(TopicAndPartition partition, String group, Principal caller) {
        return checked(topics.byPartition(partition), group, caller, Permission.GET_MESSAGE);
    }

    private GroupAccess checked(TopicRecord topic, String group, Principal caller, Permission needed) {
        Permissions.require(topic, caller, needed);
        return of(topic, group, caller);
    }

    /** Returns a group of a topic whose permission was checked. */
    GroupAccess of(TopicRecord topic, String group, Principal caller) {
        return new GroupAccess(topic, group, caller, users);
    }
}
