// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.admin;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.talos.server.auth.NewUser;
import org.talos.server.auth.OwnKey;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.UserAdmin;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.call.DiskRoom;
import org.talos.thrift.CheckGranteeResponse;

/**
 * Shows and changes users, for every front end. Only the answers of {@link #add} and {@link #rotate} have a secret.
 *
 * <p>Thread-safe; nothing blocks.
 */
public final class UserOperations {
    static final String KEY = "users";

    private final UserAdmin users;
    private final AdminCalls calls;
    private final ControlPool pool;
    private final DiskRoom room;
    private final InstantSource clock;

    /** @param clock wall clock, by which keys that were replaced end */
    public UserOperations(UserAdmin users, ControlPool pool, DiskRoom room, InstantSource clock) {
        this.users = users;
        this.calls = new AdminCalls(users);
        this.pool = pool;
        this.room = room;
        this.clock = clock;
    }

    /**
     * A user as administrators see it. Immutable; its text has no secret.
     *
     * @param createdAt ms since 1970
     */
    public record Shown(
            String userId,
            String accessKey,
            boolean admin,
            List<String> orgs,
            List<String> teams,
            long createdAt,
            Optional<OldKey> oldKey) {
        /**
         * The key before the last rotation, while it is still valid. Immutable.
         *
         * @param untilMillis ms since 1970
         */
        public record OldKey(String accessKey, long untilMillis) {}
    }

    /** A user with a new key, and the only copy of its secret. Immutable; its text has no secret. */
    public record Keyed(Shown user, String secretKey) {
        @Override
        public String toString() {
            return "Keyed[" + user.userId() + "]";
        }
    }

    /** Returns all users, by name. */
    public CompletionStage<List<Shown>> list(CallContext context) {
        return run(
                context,
                () -> users.list(user -> AdminCalls.reserve(context.memory(), user)).stream()
                        .map(this::shown)
                        .sorted(Comparator.comparing(Shown::userId))
                        .toList());
    }

    /**
     * Makes a user.
     *
     * @param key the user's own; a new one if empty
     * @return completes with nothing if there is one of that name
     */
    public CompletionStage<Optional<Keyed>> add(CallContext context, NewUser user, Optional<OwnKey> key) {
        return run(context, () -> {
            room.require();
            Optional<UserAdmin.Added> added = key.isPresent() ? users.add(user, key.get()) : users.add(user);
            return added.map(this::keyed);
        });
    }

    /** Removes a user; completes with false if there is none. */
    public CompletionStage<Boolean> remove(CallContext context, String userId) {
        return run(context, () -> users.remove(userId));
    }

    /**
     * Gives a user a new key.
     *
     * @param grace time for which the old key stays valid
     * @return completes with nothing if there is no such user
     */
    public CompletionStage<Optional<Keyed>> rotate(CallContext context, String userId, Duration grace) {
        return run(context, () -> users.rotate(userId, grace).map(this::keyed));
    }

    /**
     * Checks whether a user, team, or org has the identifier of a grantee, as far as this server knows. The answer has
     * a warning if not. Every caller may check.
     */
    public CompletionStage<CheckGranteeResponse> checkGrantee(CallContext context, String grantee) {
        return context.guarded(() -> pool.run(context, KEY, caller -> calls.checkGrantee(caller, grantee)));
    }

    private <T> CompletionStage<T> run(CallContext context, Callable<T> work) {
        return context.guarded(() -> {
            Permissions.requireAdmin(context.principal());
            return pool.run(context.principal().userId(), KEY, context.deadlineNanos(), work);
        });
    }

    private Keyed keyed(UserAdmin.Added added) {
        return new Keyed(shown(added.user()), added.credential().secret());
    }

    private Shown shown(UserRecord user) {
        UserRecord.OldKey old = user.oldKey();
        return new Shown(
                user.userId(),
                user.keyId(),
                user.admin(),
                user.orgIds(),
                user.teamIds(),
                user.createTimestamp(),
                old != null && old.holds(clock.millis())
                        ? Optional.of(new Shown.OldKey(old.keyId(), old.until()))
                        : Optional.empty());
    }
}
