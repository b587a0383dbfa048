// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

import java.util.Optional;

/** Tests whether rows can be written, by writing a row that serves nothing else. Thread-safe; blocks. */
public final class MetadataProbe {
    private static final RowKey KEY = RowKey.table('h');

    private final MetadataStore store;

    /** Probes this store. */
    public MetadataProbe(MetadataStore store) {
        this.store = store;
    }

    /** Returns why rows cannot be written; empty if they can. Losing a race for the row is not a failure. */
    public Optional<String> failure() {
        try {
            long version = store.get(KEY).map(Row::version).orElse(0L);
            var unused = store.compareAndSet(KEY, version, new byte[] {1});
            return Optional.empty();
        } catch (MetadataException e) {
            return Optional.of("rows cannot be written: " + e.getMessage());
        }
    }
}
