// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.bench.BenchCommands;
import org.talos.cli.CommandContext;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.WithDevCluster;
import picocli.CommandLine;

/** The experiments with several servers, each so short that it only shows that it works. */
@Tag("full") // measures
@Tag("bench")
@WithDevCluster
@Timeout(600)
class BenchServersIT {
    private final DevCluster cluster;

    BenchServersIT(DevCluster cluster) {
        this.cluster = cluster;
    }

    private static String run(String command, String... arguments) {
        Path root = Path.of(System.getProperty("talos.root")); // where the daemons' jars are
        var out = new ByteArrayOutputStream();
        var context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, root, false);
        StringWriter errors = new StringWriter();
        CommandLine bench = new BenchCommands().command(context);
        bench.setErr(new PrintWriter(errors));
        int code = bench.execute(
                Stream.concat(Stream.of(command), Stream.of(arguments)).toArray(String[]::new));
        String printed = out.toString(StandardCharsets.UTF_8);
        assertThat(code).as(printed + errors).isZero();
        return printed;
    }

    private String devCluster() {
        return cluster.clientConfig().getParent().toString();
    }

    @Test
    void putsGoStraightAndByAHop() {
        String printed = run(
                "transfer",
                ("--rounds 1 --seconds 1 --warmup 0.5 --first-warmup 1 --in-flight 4 --slow-in-flight 60 --devcluster "
                                + devCluster())
                        .split(" "));

        assertThat(printed)
                .contains("straight to the owner", "by the other server", "what a hop adds : a second put straight")
                .doesNotContain("not measured");
    }

    @Test
    void reportedVersionIsMeasuredWithRequestsToAllOfItsServers() {
        String printed = run(
                "talos216",
                ("--servers 3 --via ANY --versions V215 --clients 1 --gets 5 --rounds 1 --seconds 1 --warmup 1 --devcluster "
                                + devCluster())
                        .split(" "));

        assertThat(printed).contains("cluster 2.1.5-120", "distinct workers").doesNotContain("failed:");
    }

    @Test
    void partitionsAreMovedDrainedRestartedAndKilledAndEachPutIsThereOnce() {
        String printed = run(
                "moves",
                ("--short --partitions 6 --rate 5 --warmup 1 --set CLUSTER_DELAYREMOVED=5s "
                                + "--set ZOOKEEPER_SESSIONTIMEOUT=6s --devcluster " + devCluster())
                        .split(" "));

        assertThat(printed)
                .contains("acknowledged puts are there, each once")
                .containsPattern("move of a partition +10 ")
                .containsPattern("rolling restart +3 +[0-9]+ ")
                .containsPattern("kill -9, taken over +1 +[1-5] ")
                .doesNotContain("not measured");
    }

    @Test
    void partitionsAreServedAgainAfterARestartOfAllAndByTheOthersAfterAKill() {
        String printed = run(
                "partitions",
                ("--servers 3 --partitions 12 --first-puts 2 --seconds 1 --server-options -Xmx512m "
                                + "--set CLUSTER_DELAYREMOVED=5s --set ZOOKEEPER_SESSIONTIMEOUT=6s --devcluster "
                                + devCluster())
                        .split(" "));

        assertThat(printed)
                .contains(
                        "1 topics of 12 partitions",
                        "for 6, a message each",
                        "until all partitions are served",
                        "until the last did",
                        "until the others serve all partitions");
    }
}
