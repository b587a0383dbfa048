// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class RunReportTest {
    @TempDir
    Path home;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private RunReport report;

    @BeforeEach
    void begin() throws IOException {
        report = another();
    }

    private RunReport another() throws IOException {
        return RunReport.begin(
                Measures.context(home, out), "floor", new TreeMap<>(Map.of("partitions", "120", "cases", "all")));
    }

    @Test
    void settingsAreThereFromTheBeginningWithWhatWasMeasured() throws IOException {
        List<String> settings = Files.readAllLines(report.folder().resolve("settings.txt"));

        assertThat(report.folder().getParent()).isEqualTo(home.resolve("bench/target/reports"));
        assertThat(report.folder().getFileName().toString()).matches("floor-\\d{8}-\\d{6}");
        assertThat(settings.subList(0, 2)).containsExactly("cases                all", "partitions           120");
        assertThat(String.join("\n", settings))
                .contains("commit ", "java ", "processors ", "library ", "HdrHistogram-");
    }

    @Test
    void runsOfTheSameSecondHaveFoldersOfTheirOwn() throws IOException {
        assertThat(List.of(another().folder(), another().folder(), report.folder()))
                .doesNotHaveDuplicates();
    }

    @Test
    void tableHasMediansOfTheRoundsInTheOrderOfTheCases() {
        for (int round = 1; round <= 3; round++) {
            report.add(Measures.measure("hash", round, 1_000 * round * round, 4L * round, Map.of("workers", 14.0)));
        }
        report.add(Measures.measure("affinity", 1, 5_000, 2, Map.of()));

        List<String> table = report.table();

        assertThat(table).hasSize(3);
        assertThat(table.get(0).split(" {2,}"))
                .containsExactly(
                        "case",
                        "operation",
                        "QPS",
                        "mean ms",
                        "P50 ms",
                        "P75 ms",
                        "P99 ms",
                        "P999 ms",
                        "max ms",
                        "failed",
                        "workers");
        assertThat(table.get(1).split(" +")).startsWith("hash", "put", "4000").endsWith("0", "14");
        assertThat(table.get(1)).contains(" 8.0");
        assertThat(table.get(2).split(" +"))
                .startsWith("affinity", "put", "5000")
                .endsWith("0", "–");
    }

    @Test
    void failuresOfAllRoundsAreInTheTable() {
        Histogram none = new Histogram(3);
        report.add(new Measure("hash", 1, "get", none, 1, 0, 3, new TreeMap<>()));
        report.add(new Measure("hash", 2, "get", none, 1, 0, 4, new TreeMap<>()));

        assertThat(report.table().get(1)).startsWith("hash  get").endsWith("7");
    }

    @Test
    void histogramIsReadAsItWasMeasured() throws IOException {
        Measure measure = Measures.measure("no thread/ä", 2, 77, 9, Map.of());
        report.add(measure);
        report.write();

        Path file = report.folder().resolve("histograms/no_thread__-2-put.hlog");
        try (var reader = new HistogramLogReader(file.toFile())) {
            EncodableHistogram read = reader.nextIntervalHistogram();

            assertThat(read).isEqualTo(measure.latencyNanos());
            assertThat(reader.nextIntervalHistogram()).isNull();
        }
    }

    @Test
    void everyWriteHoldsAllThatIsKnownByThen() throws Exception {
        report.add(Measures.measure("hash", 1, 10));
        report.write();
        report.add(Measures.measure("hash", 2, 20));
        report.add(Claim.atLeast("QPS", "", 2, 1));
        report.write();

        assertThat(FiguresFile.read(report.folder()).rows()).hasSize(2);
        assertThat(Files.readAllLines(report.folder().resolve("table.txt"))).isEqualTo(report.table());
        assertThat(report.folder().resolve("claims.txt")).hasContent("pass  QPS: 2.00 (at least 1.00)");
    }

    @Test
    void terminalSeesTableClaimsAndWhereTheReportIs() throws IOException {
        report.add(Measures.measure("hash", 1, 10));
        report.add(Claim.atMost("P99", "ms", 2, 1));

        int code = report.finish(report.table(), List.of());

        assertThat(code).isZero();
        assertThat(Measures.text(out).lines())
                .hasSize(4)
                .startsWith(report.table().get(0))
                .endsWith("FAIL  P99: 2.00 ms (at most 1.00 ms)", "report: " + report.folder());
    }

    @Test
    void sameMeasureTwiceIsRefused() {
        report.add(Measures.measure("a b", 1, 10));

        assertThatThrownBy(() -> report.add(Measures.measure("a/b", 1, 10)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a_b-1-put");
    }

    @Test
    void nameThatBreaksATableIsRefused() {
        assertThatThrownBy(() -> Measures.measure("two\nlines", 1, 10)).hasMessageContaining("one line");
        assertThatThrownBy(() -> Measures.measure("a", 1, 10, 4, Map.of("QPS", 1.0)))
                .hasMessageContaining("figure QPS");
    }
}
