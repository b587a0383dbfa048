// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.integration.TalosCommand.Result;

/** {@code bin/talos devcluster}, each command a process as a user's. */
@Tag("full") // daemons
@Tag("storage")
@Timeout(240)
class DevClusterCommandIT {
    @TempDir
    private Path directory;

    @AfterEach
    void down() throws Exception {
        run("down");
    }

    private Result run(String... arguments) throws IOException, InterruptedException {
        var all = new ArrayList<>(List.of("devcluster", "--directory", directory.toString()));
        all.addAll(List.of(arguments));
        return TalosCommand.run(all.toArray(String[]::new));
    }

    private static boolean listens(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port)) {
            return socket.isConnected();
        } catch (ConnectException e) {
            return false;
        }
    }

    @Test
    void daemonsOutliveTheCommandAndComeBackAfterACrash() throws Exception {
        assertThat(run("status").code()).isEqualTo(1);

        Result up = run("up", "--hdfs-only", "--first-port", "21000");
        assertThat(up.output()).contains("is up\n", "hdfs://127.0.0.1:21", "logs: hdfs");
        assertThat(up.code()).isZero();

        Result status = run("status");
        assertThat(status.output()).contains("namenode", "datanode-3", "up").doesNotContain("hmaster");
        assertThat(status.code()).isZero();
        assertThat(listens(status.number("namenode", 2))).isTrue();
        assertThat(run("up", "--hdfs-only").output()).contains("was up already");

        ProcessHandle dataNode =
                ProcessHandle.of(status.number("datanode-2", 1)).orElseThrow();
        dataNode.destroyForcibly();
        dataNode.onExit().join();
        Result harmed = run("status");
        assertThat(harmed.output()).containsPattern("datanode-2 +- +\\d+ +dead");
        assertThat(harmed.code()).isEqualTo(1);

        assertThat(run("up", "--hdfs-only").output()).contains("is up\n");
        Result healed = run("status");
        assertThat(healed.code()).isZero();
        assertThat(healed.number("namenode", 1)).isEqualTo(status.number("namenode", 1));

        assertThat(run("down").code()).isZero();
        assertThat(run("status").output()).isEqualTo("the development cluster is down\n");
        assertThat(listens(status.number("namenode", 2))).isFalse();
        assertThat(ProcessHandle.of(status.number("namenode", 1))).isEmpty();
    }

    @Test
    void logsAreFoundByTheDaemonsName() throws Exception {
        run("up", "--hdfs-only");

        assertThat(run("logs").output()).contains("datanode-1 ", "namenode.log").doesNotContain("hmaster");
        Result log = run("logs", "namenode", "--lines", "5");
        assertThat(log.output().lines()).hasSize(5);
        assertThat(run("logs", "hmaster").code()).isEqualTo(3);
        Result none = run("logs", "nonsense");
        assertThat(none.code()).isEqualTo(2);
        assertThat(none.output()).contains("nonsense", "datanode-1, datanode-2");
    }
}
