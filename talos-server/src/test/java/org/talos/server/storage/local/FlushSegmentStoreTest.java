// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.config.Durability;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentStoreContract;

/** The contract, on the machine's disk, with {@link Durability#FLUSH}. */
class FlushSegmentStoreTest extends SegmentStoreContract {
    @TempDir
    private Path directory;

    @Override
    protected SegmentStore open() throws Exception {
        return LocalSegmentStore.open(
                directory.resolve("store"),
                Stores.config(Durability.FLUSH),
                () -> 0,
                (bytes, writeNanos, syncNanos) -> {});
    }
}
