// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.bench.report.Claim;

@Timeout(10)
class TakeoverResultsTest {
    private final TakeoverResults results = new TakeoverResults(Way.JOURNAL);

    @Test
    void oneNumberOfSegmentsIsComparedWithNone() {
        results.add(0, 9);
        results.add(0, 11);

        assertThat(results.claims()).extracting(Claim::measured).containsExactly(11.0);
    }

    @Test
    void mostSegmentsAreComparedWithTheFewestOfTheSameRound() {
        results.add(10, 10);
        results.add(1_000, 12);
        results.add(10, 20);
        results.add(1_000, 22);

        Claim ratio = results.claims().get(1);

        assertThat(ratio.measured()).isCloseTo((1.2 + 1.1) / 2, within(1e-9));
        assertThat(ratio.passed()).isTrue();
    }
}
