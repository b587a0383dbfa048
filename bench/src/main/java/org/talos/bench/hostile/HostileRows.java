// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.talos.bench.load.LoadResult;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Columns;

/**
 * The figures of attacks that were measured one after another, a row for each, beside what the peaceful user measured
 * alone before it. Immutable, but for the histograms.
 *
 * @param measured the figures of one attack each
 */
record HostileRows(List<HostileFigures> measured) {
    HostileRows {
        measured = List.copyOf(measured);
    }

    private static Attack attack(HostileFigures figures) {
        return figures.settings().hostile().attacks().get(0);
    }

    /** Returns the row of each attack. */
    List<String> table() {
        Columns columns = new Columns();
        columns.text("attack", measured, each -> attack(each).label());
        for (Map.Entry<String, Double> each :
                List.of(Map.entry("P50", 50.0), Map.entry("P99", 99.0), Map.entry("P999", 99.9))) {
            addPercentile(columns, each.getKey(), each.getValue());
        }
        columns.numbers("P99 ratio", measured, HostileFigures::ratioOfP99);
        HostileFigures.addCounts(
                columns,
                measured.stream()
                        .flatMap(each -> each.attacks().values().stream())
                        .toList());
        return columns.lines();
    }

    private void addPercentile(Columns columns, String name, double percentile) {
        addMillis(columns, name + " alone ms", percentile, each -> each.puts().alone());
        addMillis(columns, name + " ms", percentile, each -> each.puts().attacked());
    }

    private void addMillis(
            Columns columns, String title, double percentile, Function<HostileFigures, LoadResult> puts) {
        columns.numbers(title, measured, each -> HostileFigures.millis(puts.apply(each), percentile));
    }

    /** Returns the claims: one of each attack, and what no attack may cause. */
    List<Claim> claims() {
        List<Claim> claims = new ArrayList<>();
        claims.add(HostileFigures.none(
                "attempts to sign in that failed",
                measured.stream().mapToLong(HostileFigures::failedSignIns).sum()));
        claims.add(HostileFigures.none(
                "hostile requests never answered",
                measured.stream().mapToLong(HostileFigures::unanswered).sum()));
        for (HostileFigures each : measured) {
            claims.add(Claim.atMost(
                    "P99 of the peaceful user's puts, attacked : alone, "
                            + attack(each).label(),
                    "",
                    each.ratioOfP99(),
                    HostileFigures.MOST_P99_RATIO));
        }
        return claims;
    }
}
