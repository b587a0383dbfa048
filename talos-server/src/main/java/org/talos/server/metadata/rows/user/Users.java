// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rows.RowFormat;
import org.talos.server.metadata.rows.Table;
import org.talos.server.metadata.rows.Versioned;

/**
 * The users' rows. There are few, so they are read all at once.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class Users {
    public static final char TABLE = 'u';
    /** Of version 1, a user had one key. */
    public static final RowFormat FORMAT = new RowFormat(List.of(row -> row.putNull("oldKey")), Users::hasOneKey);

    private final Table<UserRecord> table;

    /** The users' rows in this store. */
    public Users(MetadataStore store) {
        this.table = new Table<>(store, TABLE, UserRecord.class, FORMAT);
    }

    /** Returns whether a user has one key, and then removes the field that version 1 does not have. */
    private static boolean hasOneKey(ObjectNode row) {
        boolean one = row.path("oldKey").isNull();
        if (one) {
            row.remove("oldKey");
        }
        return one;
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
