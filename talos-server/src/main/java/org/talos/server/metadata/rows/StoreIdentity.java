// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.Optional;
import java.util.OptionalLong;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;

/**
 * The row that says which store the rows belong to: the logs that are theirs have the same identity beside them.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class StoreIdentity {
    private final Table<IdentityRecord> table;

    /** The identity in this store. */
    public StoreIdentity(MetadataStore store) {
        table = new Table<>(store, 'i', IdentityRecord.class);
    }

    /**
     * The row. Immutable.
     *
     * @param storeId 32 hex digits
     */
    record IdentityRecord(String storeId) {}

    /** The identity; empty if there is none. */
    public Optional<String> find() throws MetadataException {
        return table.find(table.all()).map(row -> row.value().storeId());
    }

    /** Gives the rows an identity; returns the one that they have, which may be another that came first. */
    public String give(String identity) throws MetadataException {
        OptionalLong written = table.save(table.all(), new IdentityRecord(identity), 0);
        if (written.isPresent()) {
            return identity;
        }
        return find().orElseThrow(() -> new MetadataException(
                Reason.UNAVAILABLE, Effect.NONE, "the store's identity was deleted while it was given"));
    }

    /**
     * The row with the number of times that the logs of a directory were opened and closed: the logs have the same
     * number beside them, or the next.
     *
     * <p>Thread-safe. Every call blocks.
     */
    public static final class GenerationRow {
        private final Table<GenerationRecord> table;

        /** The row in this store. */
        public GenerationRow(MetadataStore store) {
            table = new Table<>(store, 'l', GenerationRecord.class);
        }

        /**
         * The row. Immutable.
         *
         * @param generation from 1
         */
        record GenerationRecord(long generation) {}

        /** The number, with the row's version; empty before the first. */
        public Optional<Versioned<Long>> find() throws MetadataException {
            return table.find(table.all())
                    .map(row -> new Versioned<>(row.value().generation(), row.version()));
        }

        /**
         * Writes the number if the row has the expected version, 0 for a new one; returns its new version, or empty.
         */
        public OptionalLong save(long generation, long expectedVersion) throws MetadataException {
            return table.save(table.all(), new GenerationRecord(generation), expectedVersion);
        }
    }
}
