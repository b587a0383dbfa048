// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.hdfs.HdfsCommand;
import org.talos.bench.hdfs.TakeoverCommand;
import org.talos.cli.CommandContext;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import picocli.CommandLine;

/** The experiments on HDFS, each so short that it only shows that it works. */
@Tag("full") // measures
@Tag("bench")
@WithDevCluster(Parts.HDFS)
@Timeout(240)
class BenchHdfsIT {
    private static final String HDFS = "org.apache.hadoop.fs.FsShell";

    private final DevCluster cluster;

    @TempDir
    private Path home;

    BenchHdfsIT(DevCluster cluster) {
        this.cluster = cluster;
    }

    /** Runs a command as bin/talos does; returns what it printed. */
    private static String run(ExperimentCommand command, ByteArrayOutputStream out, String... arguments) {
        StringWriter errors = new StringWriter();
        CommandLine prepared = command.commandLine();
        prepared.setErr(new PrintWriter(errors));
        assertThat(prepared.execute(arguments))
                .as(() -> out.toString(StandardCharsets.UTF_8) + errors)
                .isZero();
        return out.toString(StandardCharsets.UTF_8);
    }

    private Path report() throws IOException {
        try (Stream<Path> reports = Files.list(home.resolve("bench/target/reports"))) {
            List<Path> all = reports.toList();
            assertThat(all).hasSize(1);
            return all.get(0);
        }
    }

    @Test
    void eachWayIsMeasuredAndItsFilesGo() throws Exception {
        String[] arguments = {
            "--config",
            cluster.talosConfig().toString(),
            "--partitions",
            "1,3",
            "--seconds",
            "1",
            "--warmup",
            "1",
            "--rounds",
            "1",
            "--durability",
            "fsync"
        };
        var out = new ByteArrayOutputStream();
        var context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);

        String printed = run(new HdfsCommand(context), out, arguments);

        assertThat(printed)
                .contains("raw 1", "journal 1", "pipeline 1", "raw 3", "journal 3", "pipeline 3", "bulk 3")
                .contains("journal : raw at 3, puts/s", "HDFS' share of a put in the server at 1");
        List<String> figures = Files.readAllLines(report().resolve("figures.csv"));
        assertThat(figures.get(1)).contains("HDFS share", "server CPU s per 1000", "puts a journal flush");
        assertThat(figures).filteredOn(line -> line.contains(",1,put,")).hasSize(7);
        assertThat(Files.readString(report().resolve("settings.txt"))).contains("FSYNC");
        assertThat(cluster.run(HDFS, "-ls", "/talos")).doesNotContain("bench-");
    }

    @Test
    void partitionsAreTakenOverWithEachPutThereOnce() throws Exception {
        String[] arguments = {
            "--config",
            cluster.talosConfig().toString(),
            "--partitions",
            "3",
            "--seconds",
            "1",
            "--rounds",
            "1",
            "--set",
            "LOG_SEGMENTBYTES=1MiB"
        };
        var out = new ByteArrayOutputStream();
        var context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);

        String printed = run(new TakeoverCommand(context), out, arguments);

        assertThat(printed)
                .contains("journal 3: all served after", "pipeline 3: all served after")
                .containsPattern("(pass|FAIL)  journal, longest takeover") // which of both is the machine's affair
                .containsPattern("(pass|FAIL)  pipeline, longest takeover");
        Path report = report();
        assertThat(Files.readAllLines(report.resolve("figures.csv")).get(1))
                .contains("acknowledged before", "all served s", "listening s");
        // It was stopped by a signal with bytes that were in its journals only: they went where they belong.
        assertThat(Files.readString(report.resolve("journal-1-second.log"))).doesNotContain("ERROR");
    }

    @Test
    void partitionsAreTakenOverWithSegmentsThatWereSealedBefore() throws Exception {
        String[] arguments = {
            "--config",
            cluster.talosConfig().toString(),
            "--partitions",
            "3",
            "--segments",
            "2,20",
            "--way",
            "JOURNAL",
            "--seconds",
            "1",
            "--rounds",
            "2"
        };
        var out = new ByteArrayOutputStream();
        var context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);

        String printed = run(new TakeoverCommand(context), out, arguments);

        assertThat(printed)
                .contains("20 sealed segments in each of 3 partitions")
                .contains("round 2 of 2: journal 3, 2 segments: all served after")
                .contains("round 2 of 2: journal 3, 20 segments: all served after")
                .contains("journal, takeover with 20 segments : 2")
                .doesNotContain("not measured");
        assertThat(cluster.run(HDFS, "-ls", "/talos")).doesNotContain("bench-");
    }
}
