// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandException;

class ComparisonTest {
    @TempDir
    private Path folder;

    private Path report(String name, String experiment, String settings, double... rates) throws Exception {
        Path report = Files.createDirectory(folder.resolve(name));
        List<FigureRow> rows = new ArrayList<>();
        for (int round = 0; round < rates.length; round++) {
            rows.add(new FigureRow("affinity", round + 1, "put", Map.of("QPS", rates[round], "busy workers", 3.0)));
        }
        new FiguresFile(experiment, rows).write(report);
        Files.writeString(report.resolve(RunFolder.SETTINGS), settings);
        return report;
    }

    private List<String> compared(Path before, Path after) throws Exception {
        return Comparison.of(before, after).lines();
    }

    @Test
    void ratioOfMediansStandsWithItsSpread() throws Exception {
        List<String> lines = compared(
                report("a", "run", "rounds 3\n", 90, 100, 110), report("b", "run", "rounds 3\n", 190, 200, 220));

        assertThat(lines).contains("affinity, put");
        assertThat(lines)
                .anySatisfy(line -> assertThat(line)
                        .contains("QPS", "x 2.000", "(1.727..2.444)")
                        .doesNotContain("not distinguishable"));
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("busy workers", "x 1.000"));
        assertThat(String.join("\n", lines)).doesNotContain("settings differ");
    }

    @Test
    void roundsThatOverlapAreNotDistinguished() throws Exception {
        assertThat(compared(report("a", "run", "", 90, 110), report("b", "run", "", 100, 120)))
                .anySatisfy(line -> assertThat(line).contains("QPS", "not distinguishable"));
    }

    @Test
    void settingsThatDifferAreNamed() throws Exception {
        assertThat(compared(report("a", "run", "commit 1\nsize 10\n", 1), report("b", "run", "commit 2\nsize 10\n", 1)))
                .contains("settings differ:", "- commit 1", "+ commit 2");
    }

    @Test
    void whatIsNoReportOrOfAnotherExperimentIsRefusedByName() throws Exception {
        Path run = report("a", "run", "", 1);
        Path other = report("b", "talos216", "", 1);

        assertThatThrownBy(() -> Comparison.of(run, other))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("bench talos216");
        assertThatThrownBy(() -> Comparison.of(run, folder))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("figures.csv");
        Files.writeString(other.resolve(FiguresFile.NAME), "# talos bench figures, format 9, of run\nx\ny\n");
        assertThatThrownBy(() -> Comparison.of(run, other)).hasMessageContaining("format 9");
    }
}
