// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.Optional;
import org.talos.common.auth.Credential;
import org.talos.common.error.TalosException;
import org.talos.server.auth.NewUser;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.UserAdmin;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.UserRecord;
import org.talos.thrift.AddUserRequest;
import org.talos.thrift.AddUserResponse;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.ListUsersResponse;
import org.talos.thrift.RemoveUserRequest;
import org.talos.thrift.User;

/** The calls about users, for administrators alone. Thread-safe; all block. */
final class AdminCalls {
    private final UserAdmin users;

    AdminCalls(UserAdmin users) {
        this.users = users;
    }

    AddUserResponse addUser(CallContext context, AddUserRequest request) throws MetadataException {
        Permissions.requireAdmin(context.principal());
        NewUser user =
                new NewUser(request.getUserId(), request.isAdmin(), false, request.getOrgIds(), request.getTeamIds());
        Optional<Credential> added = users.add(user);
        if (added.isEmpty()) {
            throw TalosException.refused(ErrorCode.INVALID_TOPIC_PARAMS, "there is a user of that name");
        }
        UserRecord record = users.list().stream()
                .filter(each -> each.userId().equals(user.userId()))
                .findFirst()
                .orElseThrow(() -> TalosException.refused(ErrorCode.UNEXPECTED_ERROR, "the user is gone already"));
        return new AddUserResponse(told(record), added.get().secret());
    }

    ListUsersResponse listUsers(CallContext context) throws MetadataException {
        Permissions.requireAdmin(context.principal());
        return new ListUsersResponse(users.list().stream().map(AdminCalls::told).toList());
    }

    void removeUser(CallContext context, RemoveUserRequest request) throws MetadataException {
        Permissions.requireAdmin(context.principal());
        if (!users.remove(request.getUserId())) {
            throw TalosException.refused(ErrorCode.INVALID_TOPIC_PARAMS, "there is no user of that name");
        }
    }

    private static User told(UserRecord user) {
        return new User(
                user.userId(), user.keyId(), user.admin(), user.orgIds(), user.teamIds(), user.createTimestamp());
    }
}
