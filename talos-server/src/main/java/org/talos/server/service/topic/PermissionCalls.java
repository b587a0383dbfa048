// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.talos.server.auth.Permissions;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.quota.TopicBounds;
import org.talos.thrift.GetPermissionRequest;
import org.talos.thrift.GetPermissionResponse;
import org.talos.thrift.Grantee;
import org.talos.thrift.ListPermissionResponse;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicTalosResourceName;

/**
 * The calls about permissions on a topic.
 *
 * <p>Thread-safe. Changes block.
 */
public final class PermissionCalls {
    private static final int MAX_GRANTEES = 1_024;

    private final TopicDirectory directory;
    private final TopicLookup topics;
    private final TopicBounds bounds;

    /** Calls on topics whose rows may grow within these bounds. */
    public PermissionCalls(TopicDirectory directory, TopicBounds bounds) {
        this.directory = directory;
        this.bounds = bounds;
        this.topics = new TopicLookup(directory);
    }

    /** Sets the permission of a user, team, or org. */
    public void setPermission(Caller caller, TopicTalosResourceName name, Grantee grantee, Permission permission)
            throws MetadataException {
        TopicRecord topic = find(caller, name, Permission.CHANGE_PERMISSION);
        String identifier = identifier(grantee);
        int bits = permission.getValue();
        Permissions.requireGrantable(topic.owner(), identifier, bits);
        synchronized (bounds.lockOf(topic.owner())) { // two at once could exceed a bound
            change(caller, topic, acl -> {
                acl.put(identifier, bits);
                requireRoom(acl);
            });
        }
    }

    /** Revokes the permission of a user, team or org; may be repeated. */
    public void revokePermission(Caller caller, TopicTalosResourceName name, Grantee grantee) throws MetadataException {
        TopicRecord topic = find(caller, name, Permission.CHANGE_PERMISSION);
        String identifier = identifier(grantee);
        Permissions.requireChangeable(topic.owner(), identifier);
        change(caller, topic, acl -> acl.remove(identifier));
    }

    /** Returns the permissions on a topic, by whom they were given to. */
    public ListPermissionResponse listPermission(Caller caller, TopicTalosResourceName name) {
        TopicRecord topic = find(caller, name, Permission.DESCRIBE_TOPIC);
        caller.memory().reserve(topic.acl().keySet(), grantee -> AnswerMemory.row(grantee.length()), AnswerMemory.LESS);
        return new ListPermissionResponse(TopicViews.acl(topic));
    }

    /** Returns the permission of one user, team or org on a topic. */
    public GetPermissionResponse getPermission(Caller caller, GetPermissionRequest request) {
        TopicRecord topic = find(caller, request.getTopicResourceName(), Permission.DESCRIBE_TOPIC);
        return new GetPermissionResponse(Permissions.bits(topic, identifier(request.getGrant())));
    }

    /** Clients leave the grantee's type unset: the identifier alone counts. */
    static String identifier(Grantee grantee) {
        @Nullable String identifier = grantee.getIdentifier();
        if (identifier == null) {
            throw Failures.invalid("the grantee has no identifier");
        }
        return identifier;
    }

    static void requireRoom(Map<String, Integer> acl) {
        if (acl.size() > MAX_GRANTEES) {
            throw Failures.invalid("number of grantees: " + acl.size() + " (expected: 0.." + MAX_GRANTEES + ")");
        }
    }

    private TopicRecord find(Caller caller, TopicTalosResourceName name, Permission needed) {
        TopicRecord topic = topics.byResourceName(name);
        Permissions.require(topic, caller.principal(), needed);
        return topic;
    }

    private void change(Caller caller, TopicRecord topic, Consumer<Map<String, Integer>> change)
            throws MetadataException {
        boolean changed = directory
                .update(topic.topicId(), before -> {
                    Map<String, Integer> acl = new HashMap<>(before.acl());
                    change.accept(acl);
                    TopicRecord after = before.withAcl(acl);
                    bounds.requireRoomFor(before, after, caller);
                    return after;
                })
                .isPresent();
        if (!changed) {
            throw TopicCalls.gone(topic);
        }
    }
}
