// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.util.Map;
import java.util.Optional;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.user.KeyOwner;
import org.talos.server.metadata.rows.user.KeyOwners;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.server.metadata.rows.user.Users;
import org.talos.thrift.ErrorCode;

/**
 * Keeps at least one administrator when several servers remove administrators at the same time. The store changes one
 * row at a time, so a removal needs a witness: another administrator, whose row gets a new version and no other change.
 *
 * <p>A removal first reads the leaving row, then increments the version of the witness, and then deletes the leaving
 * row only if its version has not changed. So no other removal used the leaving row as its witness in between. If the
 * witness is removed as well, its row was read after it became the witness, and that removal has a later witness. The
 * last witness stays.
 *
 * <p>Thread-safe. Every call blocks.
 */
final class LastAdministrator {
    private final Users users;
    private final KeyOwners owners;

    LastAdministrator(Users users, KeyOwners owners) {
        this.users = users;
        this.owners = owners;
    }

    /**
     * Makes another administrator the witness of a removal. Call it after the leaving row was read. Delete that row
     * only if it still has the version that was read.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR: there is no other administrator with a readable row who can sign
     *     in; LOCK_VALUE_NOT_EXPECTED: another server changes the other administrator at the same time
     * @throws MetadataException effect NONE: only the version of the witness may have moved
     */
    void requireAnother(UserRecord leaving) throws MetadataException {
        Versioned<UserRecord> witness = witness(leaving);
        try {
            if (users.save(witness.value(), witness.version()).isEmpty()) {
                throw UserAdmin.changedMeanwhile();
            }
        } catch (MetadataException e) {
            throw new MetadataException(e.reason(), Effect.NONE, "no user was removed: " + e.getMessage(), e);
        }
    }

    private Versioned<UserRecord> witness(UserRecord leaving) throws MetadataException {
        Users.Listing listing = users.listing();
        Map<String, KeyOwner> ownerOfKey = owners.list();
        UserRecord other = listing.users().stream()
                .filter(UserRecord::admin)
                .filter(user -> !user.userId().equals(leaving.userId()))
                .filter(user -> KeyClaims.owned(user, ownerOfKey).isPresent())
                .findFirst()
                .orElseThrow(() -> TalosException.refused(
                        ErrorCode.PERMISSION_DENIED_ERROR, "the last administrator cannot be removed"));
        Optional<Versioned<UserRecord>> row =
                users.find(other.userId()).filter(found -> found.value().equals(other));
        return row.orElseThrow(UserAdmin::changedMeanwhile);
    }
}
