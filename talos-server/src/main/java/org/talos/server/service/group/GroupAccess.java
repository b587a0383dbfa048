// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.talos.common.error.TalosException;
import org.talos.common.name.Names;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.Principal;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.Permission;

/**
 * A caller's access to a group on a topic: evaluates the group's owner and grants for a caller who already has the
 * topic's permission.
 *
 * <p>Immutable.
 *
 * @param group a valid name: rows are read and written by it
 * @param users resolves users, as far as they are known
 */
record GroupAccess(TopicRecord topic, String group, Principal caller, Function<String, Optional<Principal>> users) {
    /** @throws TalosException INVALID_NAME_ERROR: a group cannot have this name */
    GroupAccess {
        if (!Names.isValid(group)) {
            throw TalosException.refused(ErrorCode.INVALID_NAME_ERROR, "a consumer group's name has " + Names.EXPECTED);
        }
    }

    /** Returns the caller's user id. */
    String user() {
        return caller.userId();
    }

    /** Returns the user whose turns and memory the caller's work takes. */
    String turnId() {
        return caller.turnId();
    }

    /** Returns whether the topic's rights make the caller an administrator of all its groups. */
    boolean isOverTopic() {
        return Permissions.isOwnerOrAdmin(topic, caller);
    }

    /** Returns whether the user is the caller, or gets from the topic by an org or a team of both. */
    boolean isWith(String user) {
        return user.equals(caller.userId())
                || users.apply(user)
                        .filter(other -> Permissions.areTogether(topic, caller, other, Permission.GET_MESSAGE))
                        .isPresent();
    }

    /**
     * Returns whether the caller has a right on a group with that owner and these grants. All callers have all rights
     * on a group without an owner.
     */
    boolean has(Right needed, String owner, Map<String, Right> grants) {
        return owner.isEmpty()
                || isOverTopic()
                || caller.identifiers().stream()
                        .flatMap(each -> Optional.ofNullable(grants.get(each)).stream())
                        .anyMatch(right -> right.compareTo(needed) >= 0)
                || isWith(owner);
    }

    TalosException denied(String what) {
        return TalosException.refused(
                ErrorCode.PERMISSION_DENIED_ERROR, "group " + group + " on topic " + topic.name() + " " + what);
    }
}
