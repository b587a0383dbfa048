// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
 * Which user has a key that a user has brought: a row for each such key says it, changed by compare-and-set, so that of
 * two servers one alone gives the key away. A user's row that the key's row does not mean counts for nothing, as one
 * that was written late. Keys that servers make, and rows of earlier versions, have no such row.
 *
 * <p>Thread-safe. Every call blocks.
 */
final class KeyClaims {
    private static final Logger LOG = LoggerFactory.getLogger(KeyClaims.class);

    /** Within this a claim without its user's row may be of a server that is about to write it. */
    private static final Duration FRESH = Duration.ofMinutes(1);

    private final Users users;
    private final KeyOwners owners;
    private final InstantSource clock;

    KeyClaims(Users users, KeyOwners owners, InstantSource clock) {
        this.users = users;
        this.owners = owners;
        this.clock = clock;
    }

    /**
     * Claims the key for a user's row that is not written yet; returns the version of the claim.
     *
     * @throws TalosException INVALID_TOPIC_PARAMS: another user has the key, or is just given it
     */
    long claim(UserRecord row) throws MetadataException {
        Optional<Versioned<KeyOwner>> found = owners.find(row.keyId());
        if (found.isPresent()) {
            requireLeft(found.get().value());
        }
        for (UserRecord other : users.listing().users()) {
            boolean means = found.isEmpty() || found.get().value().means(other);
            if (hasKey(current(other), row.keyId()) && means) {
                throw anotherHasIt();
            }
        }
        KeyOwner owner = KeyOwner.of(row, clock.millis());
        long before = found.isPresent() ? found.get().version() : 0;
        OptionalLong version;
        try {
            version = owners.save(row.keyId(), owner, before);
        } catch (MetadataException e) {
            version = written(row.keyId(), owner, e);
        }
        return version.orElseThrow(KeyClaims::justGiven);
    }

    /** The user with the keys that hold now. */
    private UserRecord current(UserRecord user) {
        UserRecord.OldKey old = user.oldKey();
        return old == null || old.holds(clock.millis()) ? user : user.withoutOldKey();
    }

    private static boolean hasKey(UserRecord user, String keyId) {
        UserRecord.OldKey old = user.oldKey();
        return user.keyId().equals(keyId) || (old != null && old.keyId().equals(keyId));
    }

    /** Skips a claim that is no longer needed. */
    private void requireLeft(KeyOwner owner) throws MetadataException {
        if (owner.hasNobody()) {
            return;
        }
        if (users.find(owner.userId())
                .filter(row -> owner.means(current(row.value())))
                .isPresent()) {
            throw anotherHasIt();
        }
        if (Math.abs(clock.millis() - owner.claimedAt()) < FRESH.toMillis()) {
            throw justGiven();
        }
    }

    private static TalosException anotherHasIt() {
        return TalosException.refused(ErrorCode.INVALID_TOPIC_PARAMS, "another user has that key");
    }

    private static TalosException justGiven() {
        return TalosException.refused(
                ErrorCode.INVALID_TOPIC_PARAMS, "the key is being given to a user just now: try again in a minute");
    }

    /** The version of a claim whose write has failed, if it was written. */
    private OptionalLong written(String keyId, KeyOwner owner, MetadataException failure) throws MetadataException {
        if (failure.effect() != Effect.NONE) {
            try {
                Optional<Versioned<KeyOwner>> found = owners.find(keyId);
                if (found.isPresent() && found.get().value().equals(owner)) {
                    return OptionalLong.of(found.get().version());
                }
            } catch (MetadataException e) {
                failure.addSuppressed(e);
            }
        }
        throw failure;
    }

    /**
     * Checks, after the user's row is written, that no other user took the claim for an abandoned one.
     *
     * @throws TalosException INVALID_TOPIC_PARAMS: somebody has; the row is deleted
     * @throws MetadataException whether it is so is not known
     */
    void confirm(UserRecord row, long claim) throws MetadataException {
        if (owners.find(row.keyId()).filter(owner -> owner.version() == claim).isPresent()) {
            return;
        }
        Optional<Versioned<UserRecord>> written = users.find(row.userId())
                .filter(found -> found.value().encryptedSecret().equals(row.encryptedSecret()));
        if (written.isPresent()) {
            var unused = users.delete(row.userId(), written.get().version());
        }
        throw anotherHasIt();
    }

    /** Gives up the claims of a row that there is not any more, or that certainly was not written. */
    void release(UserRecord row) {
        release(row, row.keyId());
        UserRecord.OldKey old = row.oldKey();
        if (old != null) {
            release(row, old.keyId());
        }
    }

    /** Gives up the claim of one key of the row, which it has no more. */
    void release(UserRecord row, String keyId) {
        try {
            Optional<Versioned<KeyOwner>> found =
                    owners.find(keyId).filter(owner -> owner.value().means(row));
            if (found.isPresent()) {
                var unused = owners.save(keyId, KeyOwner.NOBODY, found.get().version());
            }
        } catch (MetadataException e) {
            LOG.info("key claim not removed, it expires in a minute key={}", keyId, e);
        }
    }

    /**
     * The user with those keys of the row that are the user's: each whose own row, if there is one, means this one.
     *
     * @return empty if the present one is another user's
     */
    static Optional<UserRecord> owned(UserRecord row, Map<String, KeyOwner> owners) {
        if (!isOwner(row, row.keyId(), owners)) {
            return Optional.empty();
        }
        UserRecord.OldKey old = row.oldKey();
        return Optional.of(old == null || isOwner(row, old.keyId(), owners) ? row : row.withoutOldKey());
    }

    private static boolean isOwner(UserRecord row, String keyId, Map<String, KeyOwner> owners) {
        KeyOwner owner = owners.get(keyId);
        return owner == null || owner.means(row);
    }
}
