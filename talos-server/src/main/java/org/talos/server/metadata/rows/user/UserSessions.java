// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.user;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.rows.Table;
import org.talos.server.metadata.rows.Versioned;

/**
 * The rows of ended sessions: one for each user who has ended a session. A row stays when its user is removed.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class UserSessions {
    public static final char TABLE = 's';

    private final Table<EndedSessions> table;

    /** The sessions' rows in this store. */
    public UserSessions(MetadataStore store) {
        this.table = new Table<>(store, TABLE, EndedSessions.class);
    }

    /** Returns which sessions of a user have been ended; empty if none ever was. */
    public Optional<Versioned<EndedSessions>> find(String userId) throws MetadataException {
        return table.find(table.all().and(userId));
    }

    /** Writes which sessions have been ended if the row has the expected version, 0 for a new one. */
    public boolean save(String userId, EndedSessions row, long expectedVersion) throws MetadataException {
        return table.save(table.all().and(userId), row, expectedVersion).isPresent();
    }

    /**
     * Returns which sessions have been ended, by user.
     *
     * @param unreadable gets why a user's row cannot be read
     */
    public Map<String, EndedSessions> list(Map<String, MetadataException> unreadable) throws MetadataException {
        Map<String, EndedSessions> all = new HashMap<>();
        table.list(
                table.all(),
                found -> all.put(found.key().text(0), found.row().value()),
                (key, why) -> unreadable.put(key.text(0), why));
        return all;
    }
}
