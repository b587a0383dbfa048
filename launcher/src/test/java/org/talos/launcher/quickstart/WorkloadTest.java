// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.producer.Compression;

@Timeout(10)
class WorkloadTest {
    private final Workload workload = new Workload(1, 1_003, 8);

    @Test
    void partitionsShareAllMessages() {
        assertThat(IntStream.range(0, 8).map(workload::count).sum()).isEqualTo(1_003);
    }

    @Test
    void batchesCoverAPartitionInOrderWithoutGaps() {
        int next = 0;
        Set<Compression> compressions = new HashSet<>();
        for (Workload.Batch batch : workload.batches(5)) {
            assertThat(batch.first()).isEqualTo(next);
            assertThat(batch.count()).isPositive();
            compressions.add(batch.compression());
            next += batch.count();
        }

        assertThat(next).isEqualTo(workload.count(5));
        assertThat(compressions).containsExactlyInAnyOrder(Compression.values());
    }

    @Test
    void messagesCanBeMadeAgainAndDifferByPlaceAndSeed() {
        assertThat(workload.body(3, 40)).isEqualTo(workload.body(3, 40));
        assertThat(workload.body(3, 40)).isNotEqualTo(workload.body(4, 40)).isNotEqualTo(workload.body(3, 41));
        assertThat(workload.body(3, 40)).isNotEqualTo(new Workload(2, 1_003, 8).body(3, 40));
    }

    @Test
    void sizesAreMixedFromOneByteTo64KiB() {
        int[] sizes = IntStream.range(0, 2_000)
                .map(i -> workload.body(0, i).length)
                .sorted()
                .toArray();

        assertThat(sizes[0]).isEqualTo(1);
        assertThat(sizes[sizes.length / 2]).isBetween(128, 512);
        assertThat(sizes[sizes.length - 1]).isBetween(32 << 10, 64 << 10);
    }
}
