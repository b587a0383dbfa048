// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.group.GroupRecord.Worker;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.PartitionLock;

class GroupRowBytesTest {
    private final RecordCodec<GroupRecord> codec = new RecordCodec<>(GroupRecord.class, Groups.FORMAT);

    private int written(GroupRecord row) {
        return codec.encode(row).length;
    }

    /** The largest row of the default bounds but for its grants: each id and each name is as long as it may be. */
    private static GroupRecord full() {
        Map<String, Worker> workers = new HashMap<>();
        for (int i = 0; i < 1_000; i++) {
            workers.put(i + "w".repeat(252), new Worker(1_700_000_000_000L, "u".repeat(80)));
        }
        Map<Integer, PartitionLock> locks = new HashMap<>();
        for (int partition = 0; partition < 256; partition++) {
            locks.put(partition, new PartitionLock("w".repeat(256), 1_700_000_000_000L));
        }
        return new GroupRecord("u".repeat(80), Map.of("g".repeat(80), Right.ADMINISTER), workers, locks);
    }

    @Test
    void rowTakesNoMoreThanItSays() {
        long longest = Long.MIN_VALUE;
        GroupRecord widest = new GroupRecord(
                "a\"\u0001",
                Map.of("\ud83d\ude00", Right.ADMINISTER),
                Map.of("\\", new Worker(longest, "\u8a9e")),
                Map.of(Integer.MAX_VALUE, new PartitionLock("\\", longest)));

        assertThat(widest.rowBytes()).isGreaterThanOrEqualTo(written(widest));
        assertThat(GroupRecord.NOBODY.rowBytes()).isGreaterThanOrEqualTo(written(GroupRecord.NOBODY));
        assertThat(full().rowBytes()).isBetween((long) written(full()), written(full()) * 11L / 10);
    }

    @Test
    void rowOfTheDefaultBoundsFits() {
        assertThat(full().rowBytes()).isLessThan(512 << 10);
    }
}
