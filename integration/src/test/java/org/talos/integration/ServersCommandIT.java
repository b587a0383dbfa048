// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.integration.TalosCommand.Result;

/** Three servers as a user starts them: tried while one is killed, looked after, and restarted in turn. */
@Tag("full") // processes
@Tag("servers")
@Timeout(600)
class ServersCommandIT {
    @TempDir
    private Path directory;

    private Result devcluster(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("devcluster", "--directory", directory.toString()));
        all.addAll(List.of(arguments));
        return TalosCommand.run(all.toArray(String[]::new));
    }

    @AfterEach
    void down() throws Exception {
        devcluster("down");
    }

    private static String found(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(text).isTrue();
        return matcher.group(1);
    }

    private Result cluster(String endpoint, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("cluster"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--endpoint", endpoint, "--credentials", credentials()));
        return TalosCommand.run(all.toArray(String[]::new));
    }

    private String credentials() {
        return directory.resolve("servers/server-1/data/admin.credentials").toString();
    }

    @Test
    void threeServersAreOneServiceWhateverHappensToOne() throws Exception {
        Result up = devcluster("up", "--servers", "3");
        assertThat(up.code()).as(up.output()).isZero();
        String endpoints = found("--endpoint (\\S+)", up.output());
        String third = endpoints.split(",", -1)[2];

        Result tried =
                quickstartWhileOneIsKilled(endpoints, devcluster("status").number("server-2", 1));
        assertThat(tried.output()).contains("all 20000 messages came back");
        assertThat(tried.code()).isZero();

        Result harmed = devcluster("status");
        assertThat(harmed.output()).containsPattern("server-2 +- +\\d+ +dead");
        assertThat(harmed.code()).isEqualTo(1);
        assertThat(devcluster("up", "--servers", "3").code()).isZero();
        await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> cluster(third, "status")
                                .output()
                                .matches(
                                        "(?s).*server-1 +serving .*server-2 +serving +[1-9]\\d* +ready .*server-3 +serving .*"));

        assertThat(cluster(third, "move", "quickstart", "0", "server-2").code()).isZero();
        assertThat(cluster(third, "rebalance").code()).isZero();
        Result strange = cluster(third, "move", "quickstart", "0", "server-9");
        assertThat(strange.code()).as(strange.output()).isNotZero();

        restartAll(third);
        assertThat(devcluster("down").code()).isZero();
        assertThat(devcluster("status").output()).isEqualTo("the development cluster is down\n");
    }

    private Result quickstartWhileOneIsKilled(String endpoints, int pid) throws Exception {
        Process quickstart = TalosCommand.startOnTerminal(
                "quickstart", "--once", "--messages", "20000", "--endpoint", endpoints, "--credentials", credentials());
        StringBuilder printed = new StringBuilder();
        boolean killed = false;
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(quickstart.getInputStream(), StandardCharsets.UTF_8))) {
            for (int next = out.read(); next >= 0; next = out.read()) {
                printed.append((char) next);
                if (!killed && printed.toString().matches("(?s).*put +\\[#.*")) { // the bar grows
                    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
                    killed = true;
                }
            }
        }
        assertThat(killed).as(printed.toString()).isTrue();
        return new Result(quickstart.waitFor(), printed.toString());
    }

    private void restartAll(String endpoint) throws Exception {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !cluster(endpoint, "status").output().contains("delay_removed"));
        String command = String.join(" ", TalosCommand.line()) + " devcluster --directory '" + directory
                + "' restart-server {server}";

        Result restarted = cluster(endpoint, "restart", "--run", command, "--within", "25");

        assertThat(restarted.output()).contains("restarted 3 servers; no partition moved");
        assertThat(restarted.code()).isZero();

        Result failing = cluster(endpoint, "restart", "--run", "exit 7");
        assertThat(failing.output()).contains("ended with 7");
        assertThat(failing.code()).isNotZero();
    }
}
