// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
    private static final Duration FIRST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final RetryPolicy policy = new RetryPolicy(FIRST, LONGEST, new Random(1));

    @Test
    void pausesGrowWithEachRepetition() {
        assertThat(policy.pause(1)).isBetween(FIRST.dividedBy(2), FIRST);
        assertThat(policy.pause(3)).isBetween(FIRST.multipliedBy(2), FIRST.multipliedBy(4));
        assertThat(policy.pause(100)).isBetween(LONGEST.dividedBy(2), LONGEST);
    }

    /** Clients that emptied their budgets together must not come again together. */
    @Test
    void pausesOfAnEmptyBudgetAreLongAndRandom() {
        for (int i = 0; i < 100; i++) {
            policy.pause(1);
        }

        assertThat(Stream.generate(() -> policy.pause(1)).limit(10))
                .allSatisfy(pause -> assertThat(pause).isBetween(LONGEST.dividedBy(2), LONGEST))
                .doesNotHaveDuplicates();
    }
}
