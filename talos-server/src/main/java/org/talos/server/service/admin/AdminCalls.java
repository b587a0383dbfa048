// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.admin;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.talos.common.error.TalosException;
import org.talos.server.auth.NewUser;
import org.talos.server.auth.OwnKey;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.UserAdmin;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.Caller;
import org.talos.thrift.AddUserRequest;
import org.talos.thrift.AddUserResponse;
import org.talos.thrift.CheckGranteeResponse;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.ListUsersResponse;
import org.talos.thrift.RemoveUserRequest;
import org.talos.thrift.User;

/**
 * The calls that add, list and remove users, for administrators. Only the answer of {@link #addUser} has a secret.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class AdminCalls {
    /** Characters that the id of an org or a team counts besides its own. */
    private static final int ID_CHARACTERS = 16;

    private final UserAdmin users;

    public AdminCalls(UserAdmin users) {
        this.users = users;
    }

    /** Adds a user, with the key that the request brings or a new one; only this answer has the secret. */
    public AddUserResponse addUser(Caller caller, AddUserRequest request) throws MetadataException {
        Permissions.requireAdmin(caller.principal());
        NewUser user =
                new NewUser(request.getUserId(), request.isAdmin(), false, request.getOrgIds(), request.getTeamIds());
        Optional<UserAdmin.Added> made =
                request.isSetKeyId() || request.isSetSecretKey() ? users.add(user, ownKey(request)) : users.add(user);
        UserAdmin.Added added = made.orElseThrow(() -> TalosException.refused(
                ErrorCode.INVALID_TOPIC_PARAMS, "there is a user " + user.userId() + " already"));
        return new AddUserResponse(shown(added.user()), added.credential().secret());
    }

    private static OwnKey ownKey(AddUserRequest request) {
        if (!request.isSetKeyId() || !request.isSetSecretKey()) {
            throw TalosException.refused(
                    ErrorCode.INVALID_NAME_ERROR, "keyId and secretKey: give both, or neither for a new key");
        }
        return new OwnKey(request.getKeyId(), request.getSecretKey());
    }

    /** Lists all users, without secrets. */
    public ListUsersResponse listUsers(Caller caller) throws MetadataException {
        Permissions.requireAdmin(caller.principal());
        List<User> shown = users.list(user -> reserve(caller.memory(), user)).stream()
                .map(AdminCalls::shown)
                .toList();
        return new ListUsersResponse(shown);
    }

    /** Reserves memory for a user in an answer. */
    static void reserve(AnswerMemory memory, UserRecord user) {
        long ids = Stream.concat(user.orgIds().stream(), user.teamIds().stream())
                .mapToLong(id -> ID_CHARACTERS + id.length())
                .sum();
        memory.reserve(
                AnswerMemory.row(ids + user.userId().length() + user.keyId().length()));
    }

    /** Removes a user; its key is refused from now on. */
    public void removeUser(Caller caller, RemoveUserRequest request) throws MetadataException {
        Permissions.requireAdmin(caller.principal());
        if (!users.remove(request.getUserId())) {
            throw TalosException.refused(ErrorCode.INVALID_TOPIC_PARAMS, "there is no such user");
        }
    }

    /**
     * Returns whether a user, team, or org has the identifier of a grantee, as far as this server knows. A grant may
     * come before its user, so this refuses nothing. The answer is the same for the id of a key as for any unknown
     * text, so that it reveals no key.
     */
    public CheckGranteeResponse checkGrantee(Caller caller, String grantee) {
        caller.principal().requireRightToAct();
        CheckGranteeResponse response = new CheckGranteeResponse();
        if (!users.keys().isIdentifier(grantee)) {
            response.setWarning("no user, team, or org has the identifier " + grantee
                    + " here: the grant has an effect only for a developer for whom a service key acts,"
                    + " or once somebody has it. Name a user, not the id of a key");
        }
        return response;
    }

    private static User shown(UserRecord user) {
        return new User(
                user.userId(), user.keyId(), user.admin(), user.orgIds(), user.teamIds(), user.createTimestamp());
    }
}
