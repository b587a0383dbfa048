// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/talos devcluster}, each command a process as a user's. */
@Timeout(240)
class DevClusterCommandIT {
    private static final String ROOT = System.getProperty("talos.root");

    @TempDir
    private Path directory;

    @AfterEach
    void down() throws Exception {
        run("down");
    }

    private Result run(String... arguments) throws IOException, InterruptedException {
        String[] command = {
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-Dtalos.home=" + ROOT,
            "-cp",
            System.getProperty("java.class.path"),
            "org.talos.bench.Main",
            "devcluster",
            "--directory",
            directory.toString()
        };
        var all = new ArrayList<>(List.of(command));
        all.addAll(List.of(arguments));
        Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }

    private record Result(int code, String output) {
        /** The number in a column of a daemon's row in the table. */
        int number(String daemon, int column) {
            Matcher row =
                    Pattern.compile("(?m)^" + daemon + " +(\\d+) +(\\d+) ").matcher(output);
            assertThat(row.find()).as(output).isTrue();
            return Integer.parseInt(row.group(column));
        }
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
