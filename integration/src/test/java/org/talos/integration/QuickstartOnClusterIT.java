// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.WithDevCluster;
import org.talos.launcher.cluster.DoctorCommand;
import org.talos.launcher.cluster.InitCommand;
import org.talos.launcher.quickstart.QuickstartCommand;

/** A first look at a server on a cluster: what it puts is in HDFS and HBase, and doctor shows it there. */
@Tag("full") // daemons
@Tag("servers")
@WithDevCluster
@Timeout(240)
class QuickstartOnClusterIT {
    @TempDir
    private Path directory;

    private final DevCluster cluster;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    QuickstartOnClusterIT(DevCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void messagesAreInHdfsAndRowsInHBase() throws Exception {
        CommandContext here = context("quickstart");

        assertThat(run(new QuickstartCommand(here), "--once", "--messages", "500", "--port", "0"))
                .as(() -> out.toString(StandardCharsets.UTF_8))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("all 500 messages came back");
        out.reset();
        assertThat(run(new DoctorCommand(here), "-o", "json"))
                .as(() -> out.toString(StandardCharsets.UTF_8))
                .isZero();

        JsonNode report = new JsonMapper().readTree(out.toByteArray());
        assertThat(report.at("/findings").findValuesAsText("status")).containsOnly("ok");
        assertThat(report.at("/holdings/0/first").findValuesAsText("name"))
                .anyMatch(name -> name.matches("/quickstart/segments/[0-9a-f]{32}/0/0{20}-1\\.log"));
        assertThat(report.at("/holdings/1/totals/p partitions/count").asInt()).isEqualTo(8);
        assertThat(report.at("/holdings/1/totals/t topics/count").asInt()).isEqualTo(1);
        assertThat(report.at("/holdings/1/first").findValuesAsText("name")).anyMatch(name -> name.startsWith("p/"));
    }

    @Test
    void initMakesTheTableOnce() throws Exception {
        CommandContext here = context("init");

        assertThat(run(new InitCommand(here))).isZero();
        assertThat(run(new InitCommand(here))).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsOnlyOnce("HBase: made the table init")
                .containsOnlyOnce("HBase: the table is there already, and right: init");
    }

    @Test
    void missingTableIsAFailureWithTheRemedy() throws Exception {
        assertThat(run(new DoctorCommand(context("missing")))).isEqualTo(1);

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("FAIL  table       there is no table missing in HBase")
                .contains("-> bin/talos init --config FILE makes it");
    }

    /** All classes share the cluster: each test has its own directory and table. */
    private CommandContext context(String name) {
        return new CommandContext(
                Map.of(
                        "TALOS_HDFS_ROOT",
                        "/" + name,
                        "TALOS_HBASE_TABLE",
                        name,
                        "TALOS_DATADIRECTORY",
                        directory.toString(),
                        "TALOS_MANAGEMENT_PORT",
                        "0"),
                new ByteArrayInputStream(new byte[0]),
                out,
                directory,
                false);
    }

    private int run(Object command, String... arguments) {
        String[] all = new String[arguments.length + 2];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        all[arguments.length] = "--config";
        all[arguments.length + 1] = cluster.talosConfig().toString();
        return Commands.prepared(command).execute(all);
    }
}
