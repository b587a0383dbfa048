// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.talos.bench.engine.ServerSetup;
import org.talos.bench.load.LoadResult;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.launcher.local.ServerState;

class HostileRowsTest {
    private static final ServerState STATE = new ServerState(1 << 20, 1 << 21, 10, 20, Duration.ofSeconds(1));

    private static final HostileSettings SETTINGS = new HostileSettings(
            new HostileSettings.Times(Duration.ofSeconds(60), Duration.ofSeconds(12), Duration.ofSeconds(10)),
            new HostileSettings.PeacefulUser(200, 10_240, 16),
            new HostileSettings.HostileUser(64, 1_000, List.of(Attack.values()), 8_000),
            new ServerSetup(Path.of("data"), List.of(), Map.of()),
            1);

    private static LoadResult puts(long millis) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(millis * 1_000_000, 100);
        return new LoadResult(latency, 1_000_000_000, 100, 0, Optional.empty());
    }

    private static HostileFigures figures(Attack attack, long aloneMillis, long attackedMillis, long unanswered) {
        return new HostileFigures(
                SETTINGS.with(attack),
                new HostileFigures.Attacked("512m", "512m " + attack.option(), STATE, Optional.of(STATE), true),
                new HostileFigures.Peaceful(puts(aloneMillis), puts(attackedMillis), 200),
                0,
                Map.of(attack, new Tally.Counts(70, 60, 8, 1, 1, unanswered, 5_000, 0, "")),
                new HostileFigures.Others(Map.of(), Map.of(), true));
    }

    @Test
    void attackHasARowWithWhatThePeacefulUserMeasuredAloneBefore() {
        HostileRows rows = new HostileRows(
                List.of(figures(Attack.TINY_BLOCKS, 10, 15, 0), figures(Attack.HUGE_BLOCKS, 20, 80, 0)));

        List<String> table = rows.table();

        assertThat(table).hasSize(3);
        assertThat(table.get(0)).startsWith("attack").contains("P99 alone ms", "P999 ms", "P99 ratio", "checked KB");
        assertThat(table.get(1)).startsWith("tiny blocks").contains("1.50");
        assertThat(table.get(2)).startsWith("huge blocks").contains("4.00");
    }

    @Test
    void attackHasAClaimOfItsOwn() {
        HostileRows rows = new HostileRows(
                List.of(figures(Attack.TINY_BLOCKS, 10, 15, 1), figures(Attack.HUGE_BLOCKS, 10, 40, 2)));

        assertThat(rows.claims().stream().map(Claim::line))
                .containsExactly(
                        "pass  attempts to sign in that failed: 0.00 (at most 0.00)",
                        "FAIL  hostile requests never answered: 3.00 (at most 0.00)",
                        "pass  P99 of the peaceful user's puts, attacked : alone, tiny blocks: 1.50 (at most 2.00)",
                        "FAIL  P99 of the peaceful user's puts, attacked : alone, huge blocks: 4.00 (at most 2.00)");
    }

    @Test
    void runOfOneAttackHasNamesOfItsOwnInTheReport() {
        HostileFigures figures = figures(Attack.TINY_BLOCKS, 10, 15, 0);

        assertThat(figures.measures().stream().map(Measure::caseName))
                .containsExactly("alone 512m tiny-blocks", "attacked 512m tiny-blocks");
        assertThat(HostileFigures.logOf("server", "512m tiny-blocks")).isEqualTo("server-512m-tiny-blocks.log");
        assertThat(figures.settings().hostile().attacks()).containsExactly(Attack.TINY_BLOCKS);
    }
}
