// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;

@Timeout(10)
class MovesResultsTest {
    private static final long MILLI = 1_000_000;

    private final MovesResults results = new MovesResults(Duration.ofSeconds(80));

    private static Outages outages(Operation operation, int round, long... millis) {
        return new Outages(
                operation,
                round,
                LongStream.of(millis).mapToObj(each -> each * MILLI).toList(),
                List.of(7 * MILLI));
    }

    @Test
    void tableHasAllPartitionsOfAllTimesInTheOrderOfTheOperations() {
        results.add(outages(Operation.KILL, 1, 85_000, 90_000));
        results.add(outages(Operation.MOVE, 1, 100));
        results.add(outages(Operation.MOVE, 2, 300));

        List<String> table = results.table();

        assertThat(table).hasSize(3);
        assertThat(table.get(1)).containsPattern("^move of a partition +2 +2 +0\\.100 .* 0\\.300 +0\\.007");
        assertThat(table.get(2)).containsPattern("^kill -9, taken over +1 +2 +85\\.");
    }

    @Test
    void eachRoundOfAnOperationIsAMeasure() {
        results.add(outages(Operation.RESTART, 1, 100));
        results.add(outages(Operation.RESTART, 1, 200));
        results.add(outages(Operation.RESTART, 2, 300));

        assertThat(results.measures()).extracting(Measure::succeeded).containsExactly(2L, 1L);
    }

    @Test
    void plannedMovesAreClaimedToTakeLessThanASecondAndAKillLittleMoreThanTheSettings() {
        results.add(outages(Operation.MOVE, 1, 900));
        results.add(outages(Operation.DRAIN, 1, 1_100));
        results.add(outages(Operation.KILL, 1, 89_000));

        assertThat(results.claims()).extracting(Claim::passed).containsExactly(true, false, false, true);
    }
}
