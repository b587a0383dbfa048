// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.user;

import java.util.Objects;

/**
 * The owner of a key that a user has imported. Immutable; its text has no secret.
 *
 * @param userId empty if it has no owner
 * @param encryptedSecret as in the row of its user: each attempt to write one has its own
 * @param claimedAt ms since 1970
 */
public record KeyOwner(String userId, String encryptedSecret, long claimedAt) {
    /** The owner of a key that is free. */
    public static final KeyOwner NOBODY = new KeyOwner("", "", 0);

    public KeyOwner {
        Objects.requireNonNull(userId, "userId");
        Objects.requireNonNull(encryptedSecret, "encryptedSecret");
    }

    public static KeyOwner of(UserRecord user, long claimedAt) {
        return new KeyOwner(user.userId(), user.encryptedSecret(), claimedAt);
    }

    /** Returns whether the key is free. Its name is none of a field of the row. */
    public boolean hasNobody() {
        return userId.isEmpty();
    }

    /** Returns whether this user's row is the one that has the key, now or as the one before. */
    public boolean means(UserRecord user) {
        UserRecord.OldKey old = user.oldKey();
        return userId.equals(user.userId())
                && (encryptedSecret.equals(user.encryptedSecret())
                        || (old != null && encryptedSecret.equals(old.encryptedSecret())));
    }

    @Override
    public String toString() {
        return "KeyOwner[userId=" + userId + "]";
    }
}
