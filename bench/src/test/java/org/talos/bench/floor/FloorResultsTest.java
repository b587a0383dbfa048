// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.talos.bench.load.LoadResult;
import org.talos.bench.report.Claim;

class FloorResultsTest {
    private final List<FloorFigures> figures = new ArrayList<>();

    private static FloorSettings settings(int producers, int consumers) {
        return new FloorSettings(
                120,
                producers,
                consumers,
                10_240,
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                3,
                List.of(FloorCase.values()),
                8,
                Path.of("data"),
                List.of("-Xmx2g"),
                1);
    }

    private static LoadResult load(int requests, double millis) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount((long) (millis * 1e6), requests);
        return new LoadResult(latency, 1_000_000_000, requests, 0, Optional.empty());
    }

    /** A round of a case: so many puts and gets each in a second, each so long, with so much processor time in all. */
    private void measured(FloorCase what, int round, int requests, double millis, double cpuSeconds) {
        figures.add(new FloorFigures(
                what,
                round,
                load(requests, millis),
                Optional.of(load(requests, millis)),
                new FloorFigures.Costs(cpuSeconds, cpuSeconds, 0, 10),
                requests,
                requests));
    }

    private List<String> claims(FloorSettings settings) {
        return new FloorResults(figures, settings)
                .claims().stream().map(Claim::line).toList();
    }

    @Test
    void claimsAreAboutMediansOfTheRatiosOfEachRound() {
        for (int round = 1; round <= 3; round++) { // each round on a machine twice as fast
            measured(FloorCase.BARE, round, 1_000 << round, 4, 1);
            measured(FloorCase.SIGNED, round, 800 << round, 5, 1);
            measured(FloorCase.FLUSH, round, 500 << round, round == 1 ? 50 : 10, 1);
            measured(FloorCase.FSYNC, round, 400 << round, 10, 1);
        }

        assertThat(claims(settings(120, 120)))
                .containsExactly(
                        "pass  flush : signed, server CPU a request: 1.60 (at most 1.70)",
                        "pass  flush : bare, requests a second: 0.50 (at least 0.50)",
                        "FAIL  fsync : flush, requests a second: 0.80 (at least 0.90)",
                        "pass  flush : signed, P99 of a put: 2.00 (at most 2.50)");
    }

    @Test
    void oneProducerIsAboutItsMeanLatency() {
        measured(FloorCase.SIGNED, 1, 1_000, 0.07, 1);
        measured(FloorCase.FLUSH, 1, 500, 0.26, 1);

        assertThat(claims(settings(1, 0)))
                .singleElement()
                .satisfies(
                        line -> assertThat(line).startsWith("FAIL  flush : signed, mean of one producer's put: 3.7"));
    }

    @Test
    void loadsThatNothingIsClaimedOfAndCasesThatWereLeftOutHaveNoClaims() {
        measured(FloorCase.BARE, 1, 1_000, 1, 1);
        measured(FloorCase.FLUSH, 1, 1_000, 1, 1);

        assertThat(claims(settings(120, 0))).isEmpty();
        assertThat(claims(settings(120, 120)))
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("pass  flush : bare"));
    }

    @Test
    void processorTimeCountsForPutsAndGets() {
        measured(FloorCase.FLUSH, 1, 500, 1, 0.05);

        assertThat(figures.get(0).serverCpuPerThousand()).isEqualTo(0.05);
        assertThat(figures.get(0).requestsPerSecond()).isEqualTo(1_000);
    }

    @Test
    void tableHasALineForEachCaseThatWasMeasuredAndOneBesideTheBareOnes() {
        measured(FloorCase.SIGNED, 1, 1_000, 1, 1);
        measured(FloorCase.FLUSH, 1, 500, 1, 1);

        List<String> table = new FloorResults(figures, settings(120, 120)).table();

        assertThat(table.get(0)).startsWith("case").contains("puts/s", "gets/s", "server CPU", "client CPU");
        assertThat(table.get(2)).matches("flush +500 +500 +1\\.0+ .*");
        assertThat(table.get(4))
                .startsWith("case")
                .contains("requests of signed", "CPU of signed", "put P99 of signed");
        assertThat(table.get(6)).matches("flush +0\\.500 +2 +1 +1");
    }

    @Test
    void lostMessagesAndMessagesThatNobodyPutAreWrong() {
        measured(FloorCase.FLUSH, 1, 500, 1, 1);
        FloorFigures good = figures.get(0);
        FloorFigures lost = new FloorFigures(FloorCase.FLUSH, 1, good.puts(), good.gets(), good.costs(), 499, 400);
        FloorFigures invented = new FloorFigures(FloorCase.FLUSH, 1, good.puts(), good.gets(), good.costs(), 500, 501);
        FloorFigures unread =
                new FloorFigures(FloorCase.FLUSH, 1, good.puts(), Optional.of(load(0, 1)), good.costs(), 500, 0);

        assertThat(good.sound()).isTrue();
        assertThat(new FloorResults(List.of(good, lost, invented, unread), settings(120, 120)).wrong())
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).startsWith("WRONG: flush, round 1: 500 acknowledged"));
    }
}
