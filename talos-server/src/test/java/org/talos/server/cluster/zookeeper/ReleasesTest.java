// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.talos.server.cluster.zookeeper.Releases.Release;

class ReleasesTest {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";

    @Test
    void releaseCountsForTheLossItFollowsAndForEarlierOnes() {
        Releases releases = Releases.NONE.and(List.of(new Release(TOPIC, 3, 7)));

        assertThat(releases.isReleased(TOPIC, 3, 6)).isTrue();
        assertThat(releases.isReleased(TOPIC, 3, 7)).isTrue();
        assertThat(releases.isReleased(TOPIC, 3, 8)).isFalse();
        assertThat(releases.isReleased(TOPIC, 4, 7)).isFalse();
        assertThat(releases.isReleased("f".repeat(32), 3, 7)).isFalse();
    }

    @Test
    void partitionIsThereOnceWithItsLatestRelease() {
        Releases releases = Releases.NONE
                .and(List.of(new Release(TOPIC, 3, 7), new Release(TOPIC, 4, 7)))
                .and(List.of(new Release(TOPIC, 3, 9)));

        assertThat(releases.released()).containsExactly(new Release(TOPIC, 4, 7), new Release(TOPIC, 3, 9));
    }

    @Test
    void oldestReleasesAreForgotten() {
        Releases releases = Releases.NONE.and(IntStream.range(0, 300)
                .mapToObj(partition -> new Release(TOPIC, partition, 7))
                .toList());

        assertThat(releases.released()).hasSize(256);
        assertThat(releases.isReleased(TOPIC, 299, 7)).isTrue();
        assertThat(releases.isReleased(TOPIC, 0, 7)).isFalse();
        assertThat(NodeFormat.encode(releases)).hasSizeLessThan(30_000);
    }
}
