// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.user;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.rows.Table;
import org.talos.server.metadata.rows.Versioned;

/**
 * The rows of the keys that users have brought: one for each key, with its owner.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class KeyOwners {
    private static final Logger LOG = LoggerFactory.getLogger(KeyOwners.class);

    private final Table<KeyOwner> table;

    /** The keys' rows in this store. */
    public KeyOwners(MetadataStore store) {
        this.table = new Table<>(store, 'k', KeyOwner.class);
    }

    /** Returns the key's owner, or empty if no user ever imported the key. */
    public Optional<Versioned<KeyOwner>> find(String keyId) throws MetadataException {
        return table.find(table.all().and(keyId));
    }

    /**
     * Stores the key's owner if the row has the expected version, 0 for a new one. Returns the new version, or empty.
     */
    public OptionalLong save(String keyId, KeyOwner owner, long expectedVersion) throws MetadataException {
        return table.save(table.all().and(keyId), owner, expectedVersion);
    }

    /** Returns the owners of imported keys, by key id. A user whose row cannot be read counts as if it had none. */
    public Map<String, KeyOwner> list() throws MetadataException {
        Map<String, KeyOwner> owners = new HashMap<>();
        table.list(
                table.all(),
                found -> owners.put(found.key().text(0), found.row().value()),
                (key, why) -> LOG.warn("owner of a key unreadable key={}", key.text(0), why));
        return owners;
    }
}
