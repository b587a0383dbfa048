// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;

/**
 * The users' rows. Few, and read whole at start: a key is looked up by reading them all.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class Users {
    public static final char TABLE = 'u';

    private final Table<UserRecord> table;

    /** The users in this store. */
    public Users(MetadataStore store) {
        this.table = new Table<>(store, TABLE, UserRecord.class);
    }

    /** The user. */
    public Optional<Versioned<UserRecord>> find(String userId) throws MetadataException {
        return table.find(key(userId));
    }

    /** The user whose key it is. */
    public Optional<Versioned<UserRecord>> findByKey(String keyId) throws MetadataException {
        return list().stream()
                .filter(user -> user.value().keyId().equals(keyId))
                .findFirst();
    }

    /** Stores the row, 0 for a new one; returns its version, or empty if it is no longer at the expected one. */
    public OptionalLong save(UserRecord user, long expectedVersion) throws MetadataException {
        return table.save(key(user.userId()), user, expectedVersion);
    }

    /** Deletes the user; false if it is no longer at the expected version. */
    public boolean delete(String userId, long expectedVersion) throws MetadataException {
        return table.delete(key(userId), expectedVersion);
    }

    /** All users. */
    public List<Versioned<UserRecord>> list() throws MetadataException {
        List<Versioned<UserRecord>> users = new ArrayList<>();
        for (Table.Found<UserRecord> found : table.list(table.all())) {
            users.add(found.row());
        }
        return users;
    }

    private RowKey key(String userId) {
        return table.all().and(userId);
    }
}
