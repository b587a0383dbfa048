// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.bench.load.LoadResult;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;

@Timeout(10)
class PayloadResultsTest {
    private static final int SMALL = 256 << 10;
    private static final int LARGE = 32 << 20;

    private final List<PayloadFigures> figures = new ArrayList<>();

    private PayloadResults results() {
        return results(SMALL, LARGE);
    }

    private PayloadResults results(Integer... sizes) {
        return results(List.of(sizes), List.of(1), false, List.of());
    }

    private PayloadResults results(List<Integer> sizes, List<Integer> delays, boolean iperf3, List<Integer> windows) {
        return new PayloadResults(
                figures,
                new PayloadSettings(sizes, List.of(1, 4), delays, 1, 1, "data", List.of(), 1, iperf3, false, windows));
    }

    /** Requests that all took as long. */
    private static PayloadFigures requests(String carrier, Cell cell, long millis) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(millis * 1_000_000, 10);
        return PayloadFigures.ofRequests(carrier, cell, new LoadResult(latency, 1, 12, 0, Optional.empty()), 12);
    }

    private void measured(Cell cell, long thriftMillis, long rawMillis) {
        figures.add(requests("thrift", cell, thriftMillis));
        figures.add(requests("raw", cell, rawMillis));
    }

    @Test
    void rateIsWhatTheClientsHaveInFlightOverTheMeanTime() {
        PayloadFigures one = requests("raw", new Cell(1, 1_000_000, 4), 20);

        assertThat(one.megabytesPerSecond()).isBetween(199.0, 201.0);
        assertThat(one.sound()).isTrue();
    }

    @Test
    void claimsPassOrFailByTheRatioOfTheLargestSize() {
        measured(new Cell(1, SMALL, 1), 10, 10);
        measured(new Cell(1, LARGE, 1), 150, 100);
        measured(new Cell(1, LARGE, 4), 400, 400);

        assertThat(results().claims())
                .map(Claim::line)
                .satisfiesExactly(
                        alone -> assertThat(alone).startsWith("pass").endsWith(": 1.50 (at least 1.10)"),
                        four -> assertThat(four).startsWith("FAIL").endsWith(": 1.00 (at least 1.10)"),
                        growing -> assertThat(growing).startsWith("pass").endsWith(": 1.50 (at least 1.10)"));
    }

    @Test
    void claimWhoseCellCouldNotBeMeasuredFails() {
        measured(new Cell(1, LARGE, 1), 150, 100);

        assertThat(results().claims())
                .map(Claim::line)
                .satisfiesExactly(
                        alone -> assertThat(alone).startsWith("pass"),
                        four -> assertThat(four).startsWith("FAIL").contains(": not measured"),
                        growing -> assertThat(growing).startsWith("FAIL").contains(": not measured"));
    }

    @Test
    void claimOfWhatTheSweepHasNotIsNotMade() {
        measured(new Cell(1, LARGE, 1), 150, 100);
        measured(new Cell(1, LARGE, 4), 400, 400);

        assertThat(results(LARGE).claims()).hasSize(2);
    }

    @Test
    void claimsOfStreamsAreOfTheLargestWindowAndTheWorstCell() {
        int mebibyte = 1 << 20;
        for (int delay : List.of(0, 10)) {
            Cell cell = new Cell(delay, mebibyte, 1);
            measured(cell, 20, 16);
            figures.add(requests("stream-2", cell, 4));
            figures.add(requests("stream-32", cell, 8));
            figures.add(requests(Iperf3.LABEL, cell, 6));
        }
        figures.add(PayloadFigures.ofBytes(DiskWrites.LABEL, new Cell(0, mebibyte, 1), 150, 1));
        measured(new Cell(10, mebibyte, 4), 20, 25);
        figures.add(requests("stream-32", new Cell(10, mebibyte, 4), 20));

        assertThat(results(List.of(mebibyte), List.of(0, 10), true, List.of(2 << 20, 32 << 20))
                        .claims())
                .map(Claim::line)
                .satisfiesExactly(
                        stream -> assertThat(stream).startsWith("pass").endsWith(": 1.25 (at least 0.95)"),
                        beside -> assertThat(beside).startsWith("FAIL").endsWith(": 0.80 (at least 0.95)"),
                        near -> assertThat(near).startsWith("pass").endsWith(": 0.75 (at least 0.50)"),
                        disk -> assertThat(disk)
                                .contains("plain writes to data")
                                .endsWith(": 0.87 (at least 0.80)"),
                        far -> assertThat(far)
                                .startsWith("FAIL")
                                .contains("10 ms by relay")
                                .endsWith(": 0.75 (at least 0.80)"));
    }

    @Test
    void claimsBesideIperf3AreNotMeasuredWhereItIsNotInstalled() {
        int mebibyte = 1 << 20;
        Cell cell = new Cell(0, mebibyte, 1);
        figures.add(requests("stream-2", cell, 8));
        figures.add(PayloadFigures.ofBytes(DiskWrites.LABEL, cell, 150, 1));

        assertThat(results(List.of(mebibyte), List.of(0), false, List.of(2 << 20))
                        .claims())
                .map(Claim::line)
                .satisfiesExactly(
                        near -> assertThat(near)
                                .startsWith("FAIL")
                                .contains("iperf3")
                                .contains(": not measured"),
                        disk -> assertThat(disk).startsWith("pass").endsWith(": 0.87 (at least 0.80)"));
    }

    @Test
    void lostMessageIsWrong() {
        Histogram latency = new Histogram(3);
        latency.recordValue(1);
        var load = new LoadResult(latency, 1, 12, 0, Optional.empty());
        figures.add(PayloadFigures.ofRequests("raw", new Cell(1, SMALL, 1), load, 11));

        assertThat(results().wrong())
                .containsExactly("WRONG: raw, 1 ms by relay, 256 KiB, 1 client: 12 acknowledged, 11 stored, 0 errors ");
    }

    @Test
    void windowInWhichNothingEndedIsWrongAndHasNoFigures() {
        var load = new LoadResult(new Histogram(3), 1, 0, 0, Optional.empty());
        PayloadFigures none = PayloadFigures.ofRequests("raw", new Cell(1, SMALL, 1), load, 0);

        assertThat(none.sound()).isFalse();
        assertThat(none.megabytesPerSecond()).isNaN();
        assertThat(none.failure()).isEqualTo("no request ended in time");
    }

    @Test
    void measureHasItsRateAlsoBesideThatInTheMessage() {
        measured(new Cell(1, LARGE, 4), 400, 200);

        Measure raw = results().measures().get(1);

        assertThat(raw.caseName()).isEqualTo("1 ms by relay, 32 MiB, 4 clients");
        assertThat(raw.operation()).isEqualTo("raw");
        assertThat(raw.figures().get("MB/s")).isBetween(670.0, 672.0);
        assertThat(raw.figures().get("MB/s of thrift")).isBetween(1.99, 2.01);
        assertThat(raw.meanMillis()).isBetween(199.0, 201.0);
        assertThat(raw.millisAt(99)).isBetween(199.0, 201.0);
    }

    @Test
    void streamHasARateAndNoTimes() throws IOException {
        Cell cell = new Cell(1, SMALL, 4);
        figures.add(
                Iperf3.result(cell, 1, "{\"end\": {\"sum_received\": {\"bytes\": 1, \"bits_per_second\": 8.4e9}}}"));

        assertThat(results().wrong()).isEmpty();
        assertThat(results().measures())
                .singleElement()
                .satisfies(one -> assertThat(one.figures().get("MB/s")).isEqualTo(1050))
                .satisfies(one -> assertThat(one.latencyNanos().getTotalCount()).isZero());
    }

    @Test
    void streamThatFailedIsWrongWithItsReason() throws IOException {
        figures.add(
                Iperf3.result(new Cell(0, SMALL, 4), 1, "{\"start\": {}, \"error\": \"unable to connect to server\"}"));

        assertThat(results().wrong())
                .containsExactly("WRONG: iperf3, 0 ms, 256 KiB, 4 clients: 0 acknowledged, 0 stored, 1 errors unable to"
                        + " connect to server");
    }
}
