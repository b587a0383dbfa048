// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

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
import org.talos.bench.client.LoadPhase;
import org.talos.bench.engine.Results;
import org.talos.bench.report.Claim;
import org.talos.bench.synchronous.LoadCounts;
import org.talos.bench.synchronous.LoadMemory;
import org.talos.bench.synchronous.LoadThreads;

class PeersResultsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final PeersSettings SETTINGS = new PeersSettings(
            120,
            10_240,
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            3,
            List.of(PeerCase.values()),
            List.of(Shape.values()),
            Optional.empty(),
            Path.of("data"),
            List.of("-Xmx2g"),
            new Places(Map.of(), Optional.empty()),
            new PeersSettings.Tuning(true, true, Map.of(), Map.of()));

    private final Results results = new Results();

    private static LoadPhase phase(String operation, int messages, double millis, Duration cpu) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount((long) (millis * 1e6), messages);
        return new LoadPhase(operation, latency, SECOND, cpu, cpu);
    }

    private static PeersFigures figures(PeerCase what, Shape shape, int round, int puts, double millis, double cpu) {
        Duration each = Duration.ofNanos((long) (cpu * 1e9 / 2));
        int gets = shape.hasGetters() ? puts : 0;
        LoadProcess.Outcome outcome = new LoadProcess.Outcome(
                phase(LoadPhase.PUT, puts, millis, each),
                phase(LoadPhase.GET, gets, millis * 2, each),
                List.of(new LoadThreads(
                        LoadThreads.SERVER, new TreeMap<>(Map.of("few", 0.1, "more", 0.5, "no", 0.001)))),
                new LoadMemory(1_024, 4_096, 1_024),
                new LoadCounts(puts, gets, puts, 0, Optional.empty()),
                10);
        return new PeersFigures(what, shape, round, outcome);
    }

    /** A number of puts in a second, and with getters as many gets; seconds of processor time of server and client. */
    private void measured(PeerCase what, Shape shape, int round, int puts, double millis, double cpu) {
        figures(what, shape, round, puts, millis, cpu).measures().forEach(results::add);
    }

    private PeersResults tables() {
        return new PeersResults(results, SETTINGS);
    }

    private List<String> claims() {
        return new PeersClaims(results, tables().shapes())
                .all().stream().map(Claim::line).toList();
    }

    @Test
    void claimsAreAboutMediansOfTheRatiosOfEachRound() {
        for (int round = 1; round <= 3; round++) { // each round on a machine twice as fast
            measured(PeerCase.FLUSH, Shape.MANY, round, 2_000 << round, round == 1 ? 900 : 9, 1);
            measured(PeerCase.KAFKA, Shape.MANY, round, 1_000 << round, 10, 1);
        }

        assertThat(claims())
                .containsExactly(
                        "pass  flush : kafka, many, requests a second: 2.00 (at least 1.50)",
                        "pass  flush : kafka, many, CPU a request: 0.50 (at most 1.00)",
                        "pass  flush : kafka, many, P99 of a put: 0.90 (at most 1.00)",
                        "pass  flush : kafka, many, P999 of a put: 0.90 (at most 1.00)",
                        "pass  flush : kafka, many, P99 until got: 0.90 (at most 1.00)",
                        "pass  flush : kafka, many, P999 until got: 0.90 (at most 1.00)");
    }

    @Test
    void syncedPutsAreHeldAgainstSyncedOnes() {
        measured(PeerCase.FSYNC, Shape.ONE, 1, 300, 1, 1);
        measured(PeerCase.KAFKA_SYNCED, Shape.ONE, 1, 100, 1, 1);
        measured(PeerCase.ROCKETMQ_SYNCED, Shape.ONE, 1, 600, 1, 1);

        assertThat(claims())
                .containsExactly(
                        "FAIL  fsync : kafka synced, one, requests a second: 3.00 (at least 4.00)",
                        "FAIL  fsync : rocketmq synced, one, requests a second: 0.50 (at least 1.00)",
                        "FAIL  fsync : rocketmq synced, one, CPU a request: 2.00 (at most 1.00)",
                        "pass  fsync : rocketmq synced, one, P99 of a put: 1.00 (at most 1.00)",
                        "pass  fsync : rocketmq synced, one, P999 of a put: 1.00 (at most 1.00)");
    }

    @Test
    void nothingIsClaimedOfRatesThatArePacedAndOfWhatWasNotMeasured() {
        measured(PeerCase.FLUSH, Shape.PACED, 1, 100, 1, 1);
        measured(PeerCase.KAFKA, Shape.PACED, 1, 100, 1, 1);
        measured(PeerCase.FLUSH, Shape.ONE, 1, 100, 1, 1);
        measured(PeerCase.NATS, Shape.ONE, 1, 100, 1, 1);

        assertThat(claims())
                .hasSize(5)
                .allSatisfy(line ->
                        assertThat(line).contains("flush : kafka, paced, ").doesNotContain("requests a second"));
    }

    @Test
    void paceIsHalfOfTheSlowestThatPromisesTheSame() {
        measured(PeerCase.FLUSH, Shape.MANY, 1, 5_000, 1, 1);
        measured(PeerCase.KAFKA, Shape.MANY, 1, 3_000, 1, 1);
        measured(PeerCase.ROCKETMQ, Shape.MANY, 1, 0, 1, 1); // has failed
        measured(PeerCase.FSYNC, Shape.MANY, 1, 1_000, 1, 1);
        measured(PeerCase.KAFKA_SYNCED, Shape.MANY, 1, 200, 1, 1);
        measured(PeerCase.KAFKA, Shape.MANY, 2, 1_000, 1, 1);

        assertThat(tables().pace(false, 1)).isEqualTo(1_500);
        assertThat(tables().pace(true, 1)).isEqualTo(100);
        assertThat(tables().pace(false, 2)).isEqualTo(500);
        assertThat(tables().pace(true, 2)).isNaN();
    }

    @Test
    void tablesSayWhatEachPromisesWhenItAcknowledges() {
        measured(PeerCase.FLUSH, Shape.MANY, 1, 2_000, 1, 1);
        measured(PeerCase.KAFKA_SYNCED, Shape.MANY, 1, 500, 1, 1);
        measured(PeerCase.FLUSH, Shape.ONE, 1, 800, 1, 1);

        List<String> lines = tables().tables();

        assertThat(lines.get(0)).isEqualTo("many: 120 putting + 120 getting, messages of 10240 bytes");
        assertThat(lines.get(1)).contains("acknowledged is", "puts/s", "gets/s", "server CPU", "mapped MiB");
        assertThat(lines.get(2)).startsWith("flush").contains("in page cache, 1 copy");
        assertThat(lines.get(3)).startsWith("kafka synced").contains("on disk, 1 copy");
        assertThat(lines.get(5)).isEqualTo("one: 1 putting, messages of 10240 bytes");
        assertThat(lines.get(6)).doesNotContain("gets/s");
    }

    @Test
    void processorTimeIsOfMessagesPutAndGotAndMemoryIsWithoutFiles() {
        measured(PeerCase.ROCKETMQ, Shape.MANY, 1, 500, 1, 0.1);
        String name = PeersFigures.caseName(PeerCase.ROCKETMQ, Shape.MANY);

        assertThat(results.median(name, PeersFigures.REQUESTS)).isEqualTo(1_000);
        assertThat(results.median(name, PeersFigures.SERVER_CPU)).isEqualTo(0.05);
        assertThat(results.median(name, PeersFigures.CPU)).isEqualTo(0.1);
        assertThat(results.median(name, PeersFigures.SERVER_MIB)).isEqualTo(3);
        assertThat(results.median(name, PeersFigures.MAPPED_MIB)).isEqualTo(1);
        assertThat(results.median(name, PeersFigures.CLIENT_MIB)).isEqualTo(1);
    }

    @Test
    void profileNamesTheThreadsThatUsedMostForEachMessage() {
        assertThat(figures(PeerCase.KAFKA, Shape.MANY, 2, 500, 1, 1).profile())
                .containsExactly("many, kafka, round 2, server, ms for 1,000 messages: more 500.0, few 100.0");
    }

    @Test
    void failuresAndMessagesThatWereLostOrNeverGotAreWrong() {
        PeersFigures good = figures(PeerCase.KAFKA, Shape.MANY, 1, 500, 1, 1);
        List<LoadCounts> bad = List.of(
                new LoadCounts(500, 500, 499, 0, Optional.empty()),
                new LoadCounts(500, 499, 500, 0, Optional.empty()),
                new LoadCounts(500, 500, 500, 1, Optional.of("put: refused")));
        Stream<LoadProcess.Outcome> outcomes = bad.stream()
                .map(each -> new LoadProcess.Outcome(
                        good.outcome().puts(),
                        good.outcome().gets(),
                        good.outcome().threads(),
                        good.outcome().memory(),
                        each,
                        1));

        assertThat(good.wrong()).isEmpty();
        assertThat(outcomes.map(each -> new PeersFigures(PeerCase.KAFKA, Shape.MANY, 1, each)
                        .wrong()
                        .orElse("")))
                .containsExactly(
                        "WRONG: kafka, many, round 1: 500 acknowledged, 499 stored, 500 received, 0 errors",
                        "WRONG: kafka, many, round 1: 500 acknowledged, 500 stored, 499 received, 0 errors",
                        "WRONG: kafka, many, round 1: 500 acknowledged, 500 stored, 500 received, 1 errors put:"
                                + " refused");
    }

    @Test
    void loadWithoutGettersIsSoundWithoutGets() {
        PeersFigures one = figures(PeerCase.KAFKA, Shape.ONE, 1, 500, 1, 1);

        assertThat(one.wrong()).isEmpty();
        assertThat(one.measures())
                .singleElement()
                .satisfies(put -> assertThat(put.operation()).isEqualTo(LoadPhase.PUT));
        assertThat(figures(PeerCase.KAFKA, Shape.ONE, 1, 0, 1, 1).wrong())
                .as("nothing was put")
                .isPresent();
    }
}
