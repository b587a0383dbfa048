// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.user;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A user and their signing key, and for a while the key before it. Secrets are stored encrypted only.
 *
 * <p>Immutable.
 *
 * @param admin may do everything
 * @param serviceAdmin may act for others
 * @param createTimestamp ms since 1970
 * @param oldKey the key before the last rotation; null if there is none, or it ended with that
 */
public record UserRecord(
        String userId,
        String keyId,
        String encryptedSecret,
        boolean admin,
        boolean serviceAdmin,
        List<String> orgIds,
        List<String> teamIds,
        long createTimestamp,
        @Nullable OldKey oldKey) {
    public UserRecord {
        Objects.requireNonNull(userId, "userId");
        Objects.requireNonNull(keyId, "keyId");
        Objects.requireNonNull(encryptedSecret, "encryptedSecret");
        orgIds = List.copyOf(orgIds);
        teamIds = List.copyOf(teamIds);
    }

    /** A user with one key. */
    public UserRecord(
            String userId,
            String keyId,
            String encryptedSecret,
            boolean admin,
            boolean serviceAdmin,
            List<String> orgIds,
            List<String> teamIds,
            long createTimestamp) {
        this(userId, keyId, encryptedSecret, admin, serviceAdmin, orgIds, teamIds, createTimestamp, null);
    }

    /**
     * A key that has been replaced, and still holds for a while. Immutable; its text has no secret.
     *
     * @param until ms since 1970; from then on it is refused
     */
    public record OldKey(String keyId, String encryptedSecret, long until) {
        public OldKey {
            Objects.requireNonNull(keyId, "keyId");
            Objects.requireNonNull(encryptedSecret, "encryptedSecret");
        }

        /** Returns whether it still holds. */
        public boolean holds(long nowMillis) {
            return nowMillis < until;
        }

        @Override
        public String toString() {
            return "OldKey[" + keyId + " until " + until + "]";
        }
    }

    /** This user with another key, and the present one for a while or not at all. */
    public UserRecord withKey(String newKeyId, String newEncryptedSecret, @Nullable OldKey old) {
        return new UserRecord(
                userId, newKeyId, newEncryptedSecret, admin, serviceAdmin, orgIds, teamIds, createTimestamp, old);
    }

    /** This user with the present key alone. */
    public UserRecord withoutOldKey() {
        return withKey(keyId, encryptedSecret, null);
    }

    /** User and key id, without the secret. */
    @Override
    public String toString() {
        return "UserRecord[userId=" + userId + ", keyId=" + keyId + "]";
    }
}
