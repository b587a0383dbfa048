// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import static org.talos.bench.report.Text.format;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.hostile.known.KnownCounts;
import org.talos.bench.hostile.known.KnownCounts.Count;
import org.talos.bench.hostile.known.KnownWay;
import org.talos.bench.load.LoadResult;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Columns;
import org.talos.bench.report.Measure;
import org.talos.launcher.local.ServerState;

/**
 * The measured figures. Immutable, but for the histograms.
 *
 * @param heldBytes that requests were still counted with when all had ended
 * @param others what others felt besides
 */
record HostileFigures(
        HostileSettings settings,
        Attacked server,
        Peaceful puts,
        long heldBytes,
        Map<Attack, Tally.Counts> attacks,
        Others others) {
    private static final double MEBIBYTE = 1 << 20;
    private static final int BYTES_OF_A_KB = 1_000;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MOST_HEAP_MEBIBYTES = 32;
    private static final double P99 = 99;
    static final double MOST_P99_RATIO = 2;
    private static final double LEAST_RESETS_A_MINUTE = 100; // a thousand in ten minutes
    private static final double SECONDS_A_MINUTE = 60;

    /**
     * The server that is attacked. Immutable.
     *
     * @param heap of the server
     * @param label of the run in the report
     * @param after empty if the server has ended
     * @param restarted whether the server started again with the same heap
     */
    record Attacked(String heap, String label, ServerState before, Optional<ServerState> after, boolean restarted) {}

    /**
     * The puts of the peaceful user. Immutable, but for the histograms.
     *
     * @param alone before the attack
     * @param attacked during the attack
     * @param stored messages, from begin to end
     */
    record Peaceful(LoadResult alone, LoadResult attacked, long stored) {}

    /**
     * The figures of a peaceful user and of a person at the console. Immutable, but for the counts.
     *
     * @param tlsAlive whether the server with TLS is still there
     */
    record Others(Map<KnownWay, KnownCounts> reads, Map<String, KnownCounts> signIns, boolean tlsAlive) {
        private long sumOfReads(Count count) {
            return reads.values().stream().mapToLong(each -> each.all(count)).sum();
        }

        private long failedSignIns() {
            return signIns.values().stream()
                    .mapToLong(each -> each.all(Count.REFUSED) + each.all(Count.UNANSWERED) + each.all(Count.WRONG))
                    .sum();
        }
    }

    /** Returns the name of a process's log in the report. */
    static String logOf(String process, String label) {
        return process + "-" + label.replace(' ', '-') + ".log";
    }

    List<Measure> measures() {
        return List.of(
                puts.alone.measure("alone " + server.label, 1, "put", figures(Optional.of(server.before))),
                puts.attacked.measure("attacked " + server.label, 1, "put", figures(server.after)));
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

    /** Returns a percentile of puts. */
    static double millis(LoadResult puts, double percentile) {
        return puts.latency().getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    /** Returns how many times the P99 of the peaceful user's puts during the attack is that alone. */
    double ratioOfP99() {
        return millis(puts.attacked, P99) / millis(puts.alone, P99);
    }

    List<Claim> claims() {
        List<Claim> claims = new ArrayList<>(List.of(
                none("servers that ended", (server.after.isPresent() ? 0 : 1) + (others.tlsAlive() ? 0 : 1)),
                none("servers that do not start again with their heap", server.restarted ? 0 : 1),
                none("connections of attackers with foreign bytes", foreign()),
                none("reads of known messages with wrong bytes", others.sumOfReads(Count.WRONG)),
                none("reads of known messages never answered", others.sumOfReads(Count.UNANSWERED)),
                none("attempts to sign in that failed", failedSignIns()),
                Claim.atMost(
                        "live heap, after : before",
                        "MiB more",
                        server.after
                                .map(each -> (each.heapBytes() - server.before.heapBytes()) / MEBIBYTE)
                                .orElse(Double.NaN),
                        MOST_HEAP_MEBIBYTES),
                Claim.atMost("P99 of the peaceful user's puts, attacked : alone", "", ratioOfP99(), MOST_P99_RATIO),
                none("hostile requests never answered", unanswered())));
        if (attacks.containsKey(Attack.PAGE_RESETS)) {
            double minutes = settings.times().attacked().toSeconds() / SECONDS_A_MINUTE;
            claims.add(Claim.atLeast(
                    "connections that the server ended for their resets",
                    "a minute",
                    attacks.get(Attack.PAGE_RESETS).cut() / minutes,
                    LEAST_RESETS_A_MINUTE));
        }
        return claims;
    }

    /** Claims that something never happened. */
    static Claim none(String text, long count) {
        return Claim.atMost(text, "", (double) count, 0);
    }

    long failedSignIns() {
        return others.failedSignIns();
    }

    private long foreign() {
        return attacks.values().stream().mapToLong(Tally.Counts::foreign).sum();
    }

    /** Returns how many hostile requests were whole and never answered. */
    long unanswered() {
        return attacks.values().stream().mapToLong(Tally.Counts::unanswered).sum();
    }

    /** Returns the outcomes of the attacks, which show that there were attacks. */
    List<String> table() {
        List<Map.Entry<Attack, Tally.Counts>> rows = new ArrayList<>(new EnumMap<>(attacks).entrySet());
        Columns columns = new Columns();
        columns.text("attack", rows, each -> each.getKey().label());
        addCounts(columns, rows.stream().map(Map.Entry::getValue).toList());
        return columns.lines();
    }

    /** Adds the columns with what became of attacks. */
    static void addCounts(Columns columns, List<Tally.Counts> rows) {
        columns.numbers("requests", rows, Tally.Counts::begun);
        columns.numbers("done", rows, Tally.Counts::done);
        columns.numbers("refused", rows, Tally.Counts::refused);
        columns.numbers("cut", rows, Tally.Counts::cut);
        columns.numbers("unconnected", rows, Tally.Counts::unconnected);
        columns.numbers("checked KB", rows, each -> Math.floorDiv(each.receivedBytes(), BYTES_OF_A_KB));
        columns.numbers("foreign", rows, Tally.Counts::foreign);
    }

    /** Returns what others felt, as a table, and the first failures. */
    List<String> tableOfOthers() {
        Map<String, KnownCounts> rows = new TreeMap<>();
        others.reads().forEach((way, counts) -> rows.put("reads over " + way.label(), counts));
        others.signIns().forEach((way, counts) -> rows.put("signing in, " + way, counts));
        Columns columns = new Columns();
        columns.text("others", List.copyOf(rows.keySet()));
        for (Count count : Count.values()) {
            columns.numbers(count.name().toLowerCase(Locale.ROOT), rows.values(), each -> each.all(count));
        }
        List<String> lines = new ArrayList<>(columns.lines());
        rows.values().forEach(each -> lines.addAll(each.failures()));
        return lines;
    }

    /** Returns the faults that no server may have, whatever the claims say. */
    List<String> wrong() {
        List<String> wrong = new ArrayList<>();
        if (server.after.isEmpty()) {
            wrong.add("WRONG the server has ended: see " + logOf("server", server.label));
        }
        if (!others.tlsAlive()) {
            wrong.add("WRONG the server with TLS has ended: see " + logOf("tls-server", server.label));
        }
        if (!server.restarted) {
            wrong.add("WRONG the server does not start again with a heap of " + server.heap);
        }
        attacks.forEach((attack, counts) -> {
            if (counts.foreign() > 0) {
                wrong.add(format(
                        "WRONG %d connections with foreign bytes, %s; the first: %s",
                        counts.foreign(), attack.label(), counts.firstForeign()));
            }
        });
        for (KnownCounts each : others.reads().values()) {
            if (each.all(Count.WRONG) > 0) {
                each.failures().forEach(failure -> wrong.add("WRONG bytes at a reader: " + failure));
            }
        }
        refused("alone", puts.alone, wrong);
        refused("attacked", puts.attacked, wrong);
        long acknowledged = puts.alone.succeeded() + puts.attacked.succeeded();
        if (server.after.isPresent() && puts.stored < acknowledged) {
            wrong.add(format("WRONG %d of %d acknowledged messages are stored", puts.stored, acknowledged));
        }
        if (heldBytes > 0) {
            wrong.add(format("WRONG %d bytes are counted for requests that have ended", heldBytes));
        }
        return wrong;
    }

    private static void refused(String what, LoadResult puts, List<String> wrong) {
        if (puts.failed() > 0) {
            wrong.add(format(
                    "WRONG %d peaceful puts failed, %s; the first: %s",
                    puts.failed(), what, puts.firstFailure().orElse("")));
        }
    }
}
