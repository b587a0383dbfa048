// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.List;
import java.util.Objects;

/**
 * A user and their signing key. The secret is stored encrypted only.
 *
 * <p>Immutable.
 *
 * @param admin may do everything
 * @param serviceAdmin may act for others
 * @param createTimestamp ms since 1970
 */
public record UserRecord(
        String userId,
        String keyId,
        String encryptedSecret,
        boolean admin,
        boolean serviceAdmin,
        List<String> orgIds,
        List<String> teamIds,
        long createTimestamp) {
    public UserRecord {
        Objects.requireNonNull(userId, "userId");
        Objects.requireNonNull(keyId, "keyId");
        Objects.requireNonNull(encryptedSecret, "encryptedSecret");
        orgIds = List.copyOf(orgIds);
        teamIds = List.copyOf(teamIds);
    }

    /** User and key id, without the secret. */
    @Override
    public String toString() {
        return "UserRecord[userId=" + userId + ", keyId=" + keyId + "]";
    }
}
