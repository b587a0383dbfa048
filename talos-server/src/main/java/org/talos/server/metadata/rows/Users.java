// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;

/**
 * The users' rows, those of the keys that users have brought, and of sessions that were ended. There are few, so they
 * are read all at once.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class Users {
    public static final char TABLE = 'u';
    public static final char SESSIONS_TABLE = 's';

    private static final Logger LOG = LoggerFactory.getLogger(Users.class);

    private final Table<UserRecord> table;
    private final Table<KeyOwner> keys;
    private final Table<EndedSessions> sessions;

    /** The users' rows in this store. */
    public Users(MetadataStore store) {
        this.table = new Table<>(store, TABLE, UserRecord.class);
        this.keys = new Table<>(store, 'k', KeyOwner.class);
        this.sessions = new Table<>(store, SESSIONS_TABLE, EndedSessions.class);
    }

    /**
     * The owner of a key that a user has imported. Immutable; its text has no secret.
     *
     * @param userId empty if it is nobody's
     * @param encryptedSecret as in the row of the user who has it: each attempt to write one has its own
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

    /** Returns the key's owner, or empty if no user ever imported the key. */
    public Optional<Versioned<KeyOwner>> keyOwner(String keyId) throws MetadataException {
        return keys.find(keys.all().and(keyId));
    }

    /**
     * Stores the key's owner if the row has the expected version, 0 for a new one. Returns the new version, or empty.
     */
    public OptionalLong saveKeyOwner(String keyId, KeyOwner owner, long expectedVersion) throws MetadataException {
        return keys.save(keys.all().and(keyId), owner, expectedVersion);
    }

    /** Returns the owners of imported keys. A user whose row cannot be read counts as if it had none. */
    public Map<String, KeyOwner> keyOwners() throws MetadataException {
        Map<String, KeyOwner> owners = new HashMap<>();
        keys.list(
                keys.all(),
                found -> owners.put(found.key().text(0), found.row().value()),
                (key, why) -> LOG.warn("owner of a key unreadable key={}", key.text(0), why));
        return owners;
    }

    /**
     * Which sessions of a user have been ended before their time. Immutable.
     *
     * @param epoch sessions that were begun in an earlier one have ended; 0 until a user ends all of them
     * @param ended single sessions by their ids, with the time (ms since 1970) from which they would be over anyhow
     */
    public record EndedSessions(long epoch, Map<String, Long> ended) {
        /** The sessions of a user who has ended none. */
        public static final EndedSessions NONE = new EndedSessions(0, Map.of());

        public EndedSessions {
            ended = Map.copyOf(ended);
        }
    }

    /** Which sessions of a user have been ended; empty if none ever was. The row stays when the user is removed. */
    public Optional<Versioned<EndedSessions>> endedSessions(String userId) throws MetadataException {
        return sessions.find(sessions.all().and(userId));
    }

    /** Writes which sessions have been ended if the row has the expected version, 0 for a new one. */
    public boolean saveEndedSessions(String userId, EndedSessions row, long expectedVersion) throws MetadataException {
        return sessions.save(sessions.all().and(userId), row, expectedVersion).isPresent();
    }

    /**
     * Which sessions have been ended, by user.
     *
     * @param unreadable gets why a user's row cannot be read
     */
    public Map<String, EndedSessions> endedSessions(Map<String, MetadataException> unreadable)
            throws MetadataException {
        Map<String, EndedSessions> all = new HashMap<>();
        sessions.list(
                sessions.all(),
                found -> all.put(found.key().text(0), found.row().value()),
                (key, why) -> unreadable.put(key.text(0), why));
        return all;
    }

    /** The user of that id. */
    public Optional<Versioned<UserRecord>> find(String userId) throws MetadataException {
        return table.find(key(userId));
    }

    /** Writes the row if it has the expected version, 0 for a new one; returns its new version, or empty. */
    public OptionalLong save(UserRecord user, long expectedVersion) throws MetadataException {
        return table.save(key(user.userId()), user, expectedVersion);
    }

    /** Deletes the user if the row has the expected version, else returns false. */
    public boolean delete(String userId, long expectedVersion) throws MetadataException {
        return table.delete(key(userId), expectedVersion);
    }

    /** All users. */
    public List<Versioned<UserRecord>> list() throws MetadataException {
        List<Versioned<UserRecord>> users = new ArrayList<>();
        table.list(table.all(), found -> users.add(found.row()));
        return users;
    }

    /** Passes all users to a consumer one after another and keeps none of them. */
    public void list(Consumer<UserRecord> found) throws MetadataException {
        table.list(table.all(), each -> found.accept(each.row().value()));
    }

    /**
     * The users whose rows can be read. Immutable.
     *
     * @param unreadable why each other row cannot be read, by the user's id
     */
    public record Listing(List<UserRecord> users, SortedMap<String, MetadataException> unreadable) {
        public Listing {
            users = List.copyOf(users);
            unreadable = Collections.unmodifiableSortedMap(new TreeMap<>(unreadable));
        }
    }

    /** All users whose rows can be read, and the ids of the others. */
    public Listing listing() throws MetadataException {
        List<UserRecord> readable = new ArrayList<>();
        SortedMap<String, MetadataException> unreadable = new TreeMap<>();
        table.list(
                table.all(),
                found -> readable.add(found.row().value()),
                (key, why) -> unreadable.put(key.text(0), why));
        return new Listing(readable, unreadable);
    }

    private RowKey key(String userId) {
        return table.all().and(userId);
    }
}
