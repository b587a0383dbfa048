// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.server.config.Durability;
import org.talos.server.log.MemoryCatalog;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** A disk that has changed the last message of a log, which was acknowledged long ago. */
@Timeout(30)
class LastMessageDamageTest {
    private static final Random ALL_IS_KEPT = new Random(1) {
        private static final long serialVersionUID = 1;

        @Override
        public boolean nextBoolean() {
            return true;
        }
    };

    /** Without a power failure, a segment has nothing but what was acknowledged: no end of it is torn. */
    @ParameterizedTest
    @EnumSource(Durability.class)
    void damagedLastMessageIsRefused(Durability durability) throws Exception {
        LosingDisk disk = new LosingDisk(Stores.MOUNTED);
        MemoryCatalog catalog = new MemoryCatalog();
        JournaledSegmentStore store = Stores.open(disk, durability);
        FlushPowerFailureTest.put(FlushPowerFailureTest.open(store, catalog), new Random(1), 3, new HashMap<>());
        disk.failAfter(0);
        store.close();
        disk.processEnds();
        assertDamageIsRefused(disk, catalog, durability);
    }

    /** The start after a power failure notes up to where the journal had each segment. */
    @Test
    void damagedLastMessageThatTheJournalHadIsRefused() throws Exception {
        LosingDisk disk = new LosingDisk(Stores.MOUNTED);
        MemoryCatalog catalog = new MemoryCatalog();
        JournaledSegmentStore store = Stores.open(disk, Durability.FLUSH);
        FlushPowerFailureTest.put(FlushPowerFailureTest.open(store, catalog), new Random(1), 3, new HashMap<>());
        disk.failAfter(0);
        store.close();
        disk.powerOff(ALL_IS_KEPT);
        assertDamageIsRefused(disk, catalog, Durability.FLUSH);
    }

    private static void assertDamageIsRefused(LosingDisk disk, MemoryCatalog catalog, Durability durability)
            throws StorageException {
        Stores.open(disk, durability).close(); // replays the journal, of which nothing is left
        Path segment = Stores.PATHS.segment(catalog.segments().get(0).name());
        byte[] bytes = disk.bytes(segment);
        bytes[bytes.length - 1] ^= 1;
        disk.overwrite(segment, bytes);
        JournaledSegmentStore damaged = Stores.open(disk, durability);

        assertThatThrownBy(() -> FlushPowerFailureTest.open(damaged, catalog))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT))
                .hasMessageContaining("all of it was acknowledged");
        assertThat(disk.bytes(segment)).isEqualTo(bytes);
        damaged.close();
    }
}
