// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.ServerSetup;
import org.talos.bench.engine.Timing;
import org.talos.bench.load.LoadResult;
import org.talos.bench.report.Claim;

class FloorResultsTest {
    private final Results results = new Results();

    private static FloorSettings settings(int producers, int consumers) {
        return new FloorSettings(
                new FloorSettings.Clients(120, producers, consumers, 10_240),
                new Timing(Duration.ofSeconds(60), Duration.ofSeconds(30), 3),
                List.of(FloorCase.values()),
                8,
                new ServerSetup(Path.of("data"), List.of("-Xmx2g"), Map.of()),
                1);
    }

    private static LoadResult load(int requests, double millis) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount((long) (millis * 1e6), requests);
        return new LoadResult(latency, 1_000_000_000, requests, 0, Optional.empty());
    }

    /** A round of a case: so many puts and gets each in a second, each so long, with so much processor time in all. */
    private void measured(FloorCase what, int round, int requests, double millis, double cpuSeconds) {
        double each = cpuSeconds * 1_000 / (2 * requests);
        results.add(load(requests, millis)
                .measure(
                        what.label(),
                        round,
                        FloorExperiment.PUT,
                        new TreeMap<>(Map.of(FloorExperiment.SERVER_CPU, each, FloorExperiment.CLIENT_CPU, each))));
        results.add(load(requests, millis).measure(what.label(), round, FloorExperiment.GET, new TreeMap<>()));
    }

    private List<String> claims(FloorSettings settings) {
        return new FloorResults(results, settings)
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
    void tableHasALineForEachCaseThatWasMeasuredAndOneBesideTheBareOnes() {
        measured(FloorCase.SIGNED, 1, 1_000, 1, 1);
        measured(FloorCase.FLUSH, 1, 500, 1, 1);

        List<String> table = new FloorResults(results, settings(120, 120)).table();

        assertThat(table.get(0))
                .startsWith("case")
                .contains("puts/s", "gets/s", "server CPU", "client CPU", "ready s", "s 0-20 : steady");
        assertThat(table.get(2)).matches("flush +500 +500 +1\\.0+ .*");
        assertThat(table.get(4))
                .startsWith("case")
                .contains("requests of signed", "CPU of signed", "put P99 of signed");
        assertThat(table.get(6)).matches("flush +0\\.500 +2 +1 +1");
        assertThat(table.subList(8, 11))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("requests/s of").contains("steady"),
                        line -> assertThat(line).matches("signed, round 1 +2000 .*"),
                        line -> assertThat(line).matches("flush, round 1 +1000 .*"));
    }

    private static Optional<String> wrong(Optional<LoadResult> gets, long stored, long received) {
        return FloorExperiment.wrong(FloorCase.FLUSH, 1, load(500, 1), gets, stored, received);
    }

    @Test
    void lostMessagesAndMessagesThatNobodyPutAreWrong() {
        Optional<LoadResult> gets = Optional.of(load(500, 1));

        assertThat(wrong(gets, 500, 500)).isEmpty();
        assertThat(Stream.of(wrong(gets, 499, 400), wrong(gets, 500, 501), wrong(Optional.of(load(0, 1)), 500, 0)))
                .allSatisfy(line -> assertThat(line.orElse("")).startsWith("WRONG: flush, round 1: 500 acknowledged"));
    }
}
