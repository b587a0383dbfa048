// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PartitionGrowthTest {
    private final PartitionGrowth growth = new PartitionGrowth();

    private double sample(long seconds, long messages) {
        return growth.sample(messages, TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void rateIsThatSinceTheSampleBefore() {
        assertThat(sample(10, 100)).isNaN();
        assertThat(sample(20, 150)).isEqualTo(5);
        assertThat(sample(30, 150)).isZero();
    }

    @Test
    void sampleOfAnotherServerThatComesAgainHasTheSameRate() {
        sample(10, 100);
        sample(20, 150);

        assertThat(sample(20, 150)).isEqualTo(5);
        assertThat(sample(21, 210)).isEqualTo(10); // too soon after the last one for a rate of its own
        assertThat(sample(5, 90)).isNaN(); // the partition has moved, and the new server was asked earlier
    }

    @Test
    void sampleOfLongAgoSaysNothing() {
        sample(10, 100);

        assertThat(sample(1_000, 200)).isNaN();
        assertThat(sample(1_010, 300)).isEqualTo(10);
    }
}
