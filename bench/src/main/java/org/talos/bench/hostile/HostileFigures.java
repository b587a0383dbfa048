// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.load.LoadResult;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Columns;
import org.talos.bench.report.Measure;
import org.talos.launcher.local.ServerState;

/**
 * What was measured. Immutable, but for the histograms.
 *
 * @param alone puts of the peaceful user before the attack
 * @param attacked those during the attack
 * @param after empty if the server has ended
 * @param heldBytes that requests were still counted with when all had ended
 * @param stored messages of the peaceful user, from begin to end
 */
record HostileFigures(
        LoadResult alone,
        LoadResult attacked,
        ServerState before,
        Optional<ServerState> after,
        long heldBytes,
        Map<Attack, Tally.Counts> attacks,
        long stored) {
    private static final double MEBIBYTE = 1 << 20;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MOST_HEAP_MEBIBYTES = 32;
    private static final double MOST_P99_RATIO = 2;

    List<Measure> measures() {
        return List.of(
                alone.measure("alone", 1, "put", figures(Optional.of(before))),
                attacked.measure("attacked", 1, "put", figures(after)));
    }

    private static SortedMap<String, Double> figures(Optional<ServerState> state) {
        return new TreeMap<>(Map.of(
                "live heap MiB",
                state.map(each -> each.heapBytes() / MEBIBYTE).orElse(Double.NaN),
                "resident MiB",
                state.map(each -> each.residentBytes() / MEBIBYTE).orElse(Double.NaN),
                "threads",
                state.map(each -> (double) each.threads()).orElse(Double.NaN)));
    }

    private static double p99(LoadResult puts) {
        return puts.latency().getValueAtPercentile(99) / NANOS_PER_MILLI;
    }

    List<Claim> claims() {
        return List.of(
                Claim.atMost("servers that ended", "", after.isPresent() ? 0 : 1, 0),
                Claim.atMost(
                        "live heap, after : before",
                        "MiB more",
                        after.map(each -> (each.heapBytes() - before.heapBytes()) / MEBIBYTE)
                                .orElse(Double.NaN),
                        MOST_HEAP_MEBIBYTES),
                Claim.atMost(
                        "P99 of the peaceful user's puts, attacked : alone",
                        "",
                        p99(attacked) / p99(alone),
                        MOST_P99_RATIO),
                Claim.atMost("hostile requests never answered", "", (double) unanswered(), 0));
    }

    private long unanswered() {
        return attacks.values().stream().mapToLong(Tally.Counts::unanswered).sum();
    }

    /** What became of the attacks, so that one sees that there were any. */
    List<String> table() {
        List<Map.Entry<Attack, Tally.Counts>> rows = new ArrayList<>(new EnumMap<>(attacks).entrySet());
        Columns columns = new Columns();
        columns.text("attack", rows.stream().map(each -> each.getKey().label()).toList());
        columns.numbers(
                "requests",
                rows.stream().map(each -> (double) each.getValue().begun()).toList());
        columns.numbers(
                "done",
                rows.stream().map(each -> (double) each.getValue().done()).toList());
        columns.numbers(
                "refused",
                rows.stream().map(each -> (double) each.getValue().refused()).toList());
        columns.numbers(
                "cut", rows.stream().map(each -> (double) each.getValue().cut()).toList());
        return columns.lines();
    }

    /** What no server may do, whatever the claims say. */
    List<String> wrong() {
        List<String> wrong = new ArrayList<>();
        if (after.isEmpty()) {
            wrong.add("WRONG the server has ended: see server.log");
        }
        refused("alone", alone, wrong);
        refused("attacked", attacked, wrong);
        long acknowledged = alone.succeeded() + attacked.succeeded();
        if (after.isPresent() && stored < acknowledged) {
            wrong.add("WRONG %d of %d acknowledged messages are stored".formatted(stored, acknowledged));
        }
        if (heldBytes > 0) {
            wrong.add("WRONG %d bytes are counted for requests that have ended".formatted(heldBytes));
        }
        return wrong;
    }

    private static void refused(String what, LoadResult puts, List<String> wrong) {
        if (puts.failed() > 0) {
            wrong.add("WRONG %d peaceful puts failed, %s; the first: %s"
                    .formatted(puts.failed(), what, puts.firstFailure().orElse("")));
        }
    }
}
