// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.Observable;
import org.talos.bench.load.ServerMetrics;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;

@Timeout(10)
class MembersFiguresTest {
    private static final Population TENTH = new Population(100, 100, 100); // of the members that the goals are for
    private static final Costs IDLE = new Costs(10, 0.01, 1, 2, 0, 0);

    private static LoadResult result(int perSecond, long failed) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(2_000_000, 10L * perSecond);
        return new LoadResult(
                latency,
                Duration.ofSeconds(10).toNanos(),
                20L * perSecond,
                failed,
                failed > 0 ? Optional.of("status 503") : Optional.empty());
    }

    private static MembersFigures figures(double writes, double processors, long failed, int wrong) {
        MembersSettings settings = MembersSettingsTest.settings(TENTH, Duration.ofSeconds(10), Map.of());
        MembersFigures.Phase version = new MembersFigures.Phase(
                Map.of("getServiceVersion", result(2_000, 0)), new Costs(10, 0.05, 1, 2, 0, 0.1));
        MembersFigures.Phase members = new MembersFigures.Phase(
                Map.of("renew", result(1_500, failed), "queryWorker", result(500, 0)),
                new Costs(10, processors, writes, 2_002, Double.NaN, 0.2));
        MembersFigures.Heap heap = new MembersFigures.Heap(1 << 20, 3 << 20);
        return new MembersFigures(settings, IDLE, version, result(1_000, 0), members, wrong, heap);
    }

    @Test
    void goalsAreForAHundredThousandMembersWithoutWhatIdleServersDo() {
        List<Claim> claims = figures(51, 0.11, 0, 0).claims();

        assertThat(claims).extracting(Claim::passed).containsExactly(true, true, true, false);
        assertThat(claims.get(2).measured()).isCloseTo(500, within(1e-6));
        assertThat(claims.get(3).measured()).isCloseTo(1, within(1e-6));
    }

    @Test
    void tooManyRowWritesAreShownButAreNoWrongResult() {
        MembersFigures figures = figures(52, 0.02, 0, 0);

        assertThat(figures.claims()).extracting(Claim::passed).containsExactly(true, true, false, true);
        assertThat(figures.wrongLines()).isEmpty();
    }

    @Test
    void failedCallsAndLostLocksAreWrong() {
        MembersFigures figures = figures(51, 0.02, 3, 4);

        assertThat(figures.claims()).extracting(Claim::passed).containsExactly(false, false, true, true);
        assertThat(figures.wrongLines())
                .containsExactly(
                        "WRONG 3 calls failed, renew; the first: status 503",
                        "WRONG 4 members are missing at the end, or hold other partitions than theirs");
    }

    @Test
    void callIsDividedIntoHttpAndGroups() {
        assertThat(figures(51, 0.11, 0, 0).lines())
                .contains(
                        "of a call        50.0 us of processor time: HTTP and signature 20.0, groups 30.0",
                        "rows             51.0 writes and 2002.0 reads a second; idle 1.0 and 2.0",
                        "renewals         P50 2.00 ms, P99 2.00 ms",
                        "heap             3.0 MiB, 1.0 before the members joined: 210 bytes a member");
    }

    @Test
    void loadThatDoesNotReachItsRateSaysSo() {
        assertThat(figures(51, 0.11, 0, 0).lines().get(0))
                .isEqualTo("calls            2000 of 2595 a second: the rate was not reached");
    }

    @Test
    void allCallsOfMembersAreOneMeasureWithTheCosts() {
        List<Measure> measures = figures(51, 0.11, 2, 0).measures();

        assertThat(measures)
                .extracting(each -> each.caseName() + " " + each.operation())
                .containsExactly(
                        "compared getServiceVersion",
                        "joining all calls",
                        "members all calls",
                        "members queryWorker",
                        "members renew");
        Measure all = measures.get(2);
        assertThat(all.perSecond()).isCloseTo(2_000, within(1e-6));
        assertThat(all.failed()).isEqualTo(2);
        assertThat(all.figures())
                .containsEntry("row writes/s", 51.0)
                .containsEntry("idle row writes/s", 1.0)
                .containsEntry("heap MiB", 3.0);
    }

    private static ServerMetrics page(int gets, int scans, int sets, int deletes) {
        return ServerMetrics.parse(String.format(Locale.ROOT, """
                # TYPE talos_metadata_call_seconds histogram
                talos_metadata_call_seconds_bucket{call="set",le="0.1"} 999999
                talos_metadata_call_seconds_count{call="get"} %d
                talos_metadata_call_seconds_count{call="scan"} %d
                talos_metadata_call_seconds_count{call="set"} %d
                talos_metadata_call_seconds_count{call="delete"} %d
                """, gets, scans, sets, deletes));
    }

    private static CostsWindow window(ServerMetrics before, ServerMetrics after) {
        Deque<ServerMetrics> pages = new ArrayDeque<>(List.of(before, after));
        Deque<Double> written = new ArrayDeque<>(List.of(1_000.0, 5_000.0));
        Observable servers = new Observable() {
            @Override
            public ServerMetrics metrics() {
                return pages.remove();
            }

            @Override
            public double cpuSeconds() {
                return 0;
            }
        };
        return new CostsWindow(servers, written::remove);
    }

    @Test
    void windowCountsReadsAndWritesOfRowsBetweenItsEnds() {
        CostsWindow window = window(page(10, 1, 100, 5), page(40, 3, 107, 6));

        window.opened();
        window.closed();

        Costs costs = window.costs();
        assertThat(costs.rowReads() * costs.seconds()).isCloseTo(32, within(1e-6));
        assertThat(costs.rowWrites() * costs.seconds()).isCloseTo(8, within(1e-6));
        assertThat(costs.writtenBytes() * costs.seconds()).isCloseTo(4_000, within(1e-6));
    }

    @Test
    void rowsThatServersDoNotCountAreNotTakenForNone() {
        CostsWindow window = window(ServerMetrics.parse("up 1\n"), ServerMetrics.parse("up 1\n"));

        window.opened();
        window.closed();

        assertThat(window.costs().rowWrites()).isNaN();
    }
}
