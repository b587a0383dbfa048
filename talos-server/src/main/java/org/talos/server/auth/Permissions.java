// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.util.HashSet;
import java.util.Set;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.rows.topic.SubResource;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.Permission;

/**
 * The rights of a caller to a topic, as bits of {@link Permission}. The owner (the user, or each member of the org) and
 * an admin may do all. The ACL gives the rest, to users, teams and orgs; of several entries that mean a caller, all
 * count. The admin team of an org that the topic was opened to may describe, put and get.
 *
 * <p>Immutable.
 */
public final class Permissions {
    /** All bits. */
    public static final int ALL = Permission.ADMIN.getValue();
    /** The permissions that can be granted to others: put, get, describe. */
    static final int GRANTABLE = Permission.TOPIC_READ_AND_MESSAGE_FULL_CONTROL.getValue();

    private static final int MAX_IDENTIFIER_CHARACTERS = 128;

    private Permissions() {}

    /** Returns the permissions of the caller. */
    public static int bits(TopicRecord topic, Principal caller) {
        caller.requireRightToAct();
        if (isOwnerOrAdmin(topic, caller)) {
            return ALL;
        }
        int bits = 0;
        for (String identifier : caller.identifiers()) {
            bits |= topic.acl().getOrDefault(identifier, 0) & GRANTABLE;
        }
        for (SubResource opened : topic.subResources()) {
            bits |= caller.teamIds().contains(opened.adminTeamId()) ? GRANTABLE : 0;
        }
        return bits;
    }

    /** Returns the permissions of an ACL key, for listings: all for the owner, the granted ones for others. */
    public static int bits(TopicRecord topic, String identifier) {
        return identifier.equals(topic.owner()) ? ALL : topic.acl().getOrDefault(identifier, 0) & GRANTABLE;
    }

    /**
     * Returns whether two users have a permission together: by an org or a team of both that the topic's rights name.
     */
    public static boolean areTogether(TopicRecord topic, Principal one, Principal other, Permission needed) {
        Set<String> shared = new HashSet<>(one.orgIds());
        shared.addAll(one.teamIds());
        shared.removeIf(
                each -> !other.orgIds().contains(each) && !other.teamIds().contains(each));
        boolean opened = topic.subResources().stream().anyMatch(each -> shared.contains(each.adminTeamId()));
        return opened || shared.stream().anyMatch(each -> (bits(topic, each) & needed.getValue()) != 0);
    }

    /** Returns whether the caller is the topic's owner, one of the org that is, or an administrator. */
    public static boolean isOwnerOrAdmin(TopicRecord topic, Principal caller) {
        return caller.admin()
                || caller.userId().equals(topic.owner())
                || caller.orgIds().contains(topic.owner());
    }

    /**
     * Refuses a caller without all bits of the permission.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR
     */
    public static void require(TopicRecord topic, Principal caller, Permission needed) {
        if ((bits(topic, caller) & needed.getValue()) != needed.getValue()) {
            throw denied("permission " + needed + " on topic " + topic.name() + " is needed");
        }
    }

    /**
     * Refuses a caller without any permission on the topic.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR
     */
    public static void requireAny(TopicRecord topic, Principal caller) {
        if (bits(topic, caller) == 0) {
            throw denied("a permission on topic " + topic.name() + " is needed");
        }
    }

    /**
     * Refuses all but the topic's owner and admins.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR
     */
    public static void requireOwner(TopicRecord topic, Principal caller) {
        caller.requireRightToAct();
        if (!isOwnerOrAdmin(topic, caller)) {
            throw denied("this is for the owner of topic " + topic.name());
        }
    }

    /**
     * Refuses all but admins.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR
     */
    public static void requireAdmin(Principal caller) {
        caller.requireRightToAct();
        if (!caller.admin()) {
            throw denied("this is for administrators");
        }
    }

    /**
     * Checks a grant: at least one of put, get, and describe, and not to the owner, who has all of them.
     *
     * @throws TalosException INVALID_TOPIC_PARAMS
     */
    public static void requireGrantable(String owner, String identifier, int bits) {
        requireChangeable(owner, identifier);
        if (bits <= 0 || (bits & ~GRANTABLE) != 0) {
            throw TalosException.refused(
                    ErrorCode.INVALID_TOPIC_PARAMS,
                    "permission: " + bits + " (expected: 1.." + GRANTABLE + " for others than the owner)");
        }
    }

    /**
     * Checks that the user whose permission is changed or revoked is not the owner.
     *
     * @throws TalosException INVALID_TOPIC_PARAMS
     */
    public static void requireChangeable(String owner, String identifier) {
        if (identifier.isBlank() || identifier.length() > MAX_IDENTIFIER_CHARACTERS) {
            throw TalosException.refused(
                    ErrorCode.INVALID_TOPIC_PARAMS,
                    "grantee: " + identifier.length() + " characters (expected: 1.." + MAX_IDENTIFIER_CHARACTERS + ")");
        }
        if (identifier.equals(owner)) {
            throw TalosException.refused(ErrorCode.INVALID_TOPIC_PARAMS, "the owner's permissions cannot be changed");
        }
    }

    private static TalosException denied(String message) {
        return TalosException.refused(ErrorCode.PERMISSION_DENIED_ERROR, message);
    }
}
