// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DaemonStatus.State;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;

/** A process that runs its own cluster crashes: its daemons end with it, and their data stays intact. */
@Tag("full") // daemons
@Tag("storage")
@Timeout(180)
class DevClusterOrphansIT {
    private static final Path JARS = Path.of(System.getProperty("talos.root"), "devcluster", "daemons", "target");
    private static final String HDFS = "org.apache.hadoop.fs.FsShell";

    @TempDir
    private Path directory;

    /** The program that crashes. */
    static final class Owner {
        private Owner() {}

        public static void main(String[] arguments) throws Exception {
            try (DevCluster cluster = DevCluster.attached(Path.of(arguments[0]), Path.of(arguments[1]))) {
                cluster.start(Parts.HDFS);
                cluster.run(HDFS, "-touchz", "/kept");
                System.out.println("up");
                System.in.read(); // until it is killed
            }
        }
    }

    @Test
    void daemonsEndWithTheProgramThatIsKilled() throws Exception {
        Process owner = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Owner.class.getName(),
                        directory.toString(),
                        JARS.toString())
                .redirectError(directory.resolve("owner.log").toFile())
                .start();
        List<ProcessHandle> daemons;
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(owner.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(output.readLine()).isEqualTo("up");
            daemons = owner.descendants().toList();
        } finally {
            owner.destroyForcibly();
        }
        assertThat(daemons).hasSize(4);
        for (ProcessHandle daemon : daemons) {
            daemon.onExit().get(20, TimeUnit.SECONDS);
        }

        try (DevCluster cluster = DevCluster.attached(directory, JARS)) {
            assertThat(state(cluster)).isEqualTo(State.DEAD);
            cluster.start(Parts.HDFS);
            assertThat(cluster.run(HDFS, "-ls", "/")).contains("/kept");
        }
    }

    private static State state(DevCluster cluster) throws IOException, InterruptedException {
        return cluster.status().stream()
                .filter(each -> each.daemon() == Daemon.NAMENODE)
                .findFirst()
                .orElseThrow()
                .state();
    }
}
