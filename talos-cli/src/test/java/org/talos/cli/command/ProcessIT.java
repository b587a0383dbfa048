// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.result;

import java.io.BufferedReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ScriptedServer;
import org.talos.thrift.ListUsersResponse;
import org.talos.thrift.PutMessageResponse;

/** A command as a process of its own. */
@Timeout(120)
class ProcessIT {
    private static final int TRIES = 10;

    /** The JVM would wait 300 ms for the HTTP client; on a busy machine one of the tries is quick enough to show it. */
    @Test
    void commandEndsOnceItHasPrinted() throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            Duration shortest = Duration.ofDays(1);
            for (int i = 0; i < TRIES && shortest.toMillis() >= 200; i++) {
                server.then(result(new ListUsersResponse(List.of())));
                Process process = listUsers(server);
                try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
                    assertThat(out.readLine()).startsWith("USER ");
                    long printed = System.nanoTime();
                    assertThat(process.waitFor()).isZero();
                    Duration took = Duration.ofNanos(System.nanoTime() - printed);
                    shortest = took.compareTo(shortest) < 0 ? took : shortest;
                }
            }

            assertThat(shortest).isLessThan(Duration.ofMillis(200));
        }
    }

    /** Checks the summary of a put that a signal ends, as Ctrl-C does, once its lines are acknowledged. */
    @Test
    void putThatASignalEndsSaysWhatIsStored() throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            CountDownLatch stored = new CountDownLatch(1);
            server.then(ScriptedCommand.topic(1)).then((exchange, body) -> {
                result(new PutMessageResponse("id")).to(exchange, body);
                stored.countDown();
            });
            Process process = run(server, ProcessBuilder.Redirect.PIPE, "put", "orders");
            try (OutputStream typed = process.getOutputStream();
                    BufferedReader err = process.errorReader(StandardCharsets.UTF_8)) {
                typed.write("one\ntwo\n".getBytes(StandardCharsets.UTF_8));
                typed.flush();
                stored.await();

                process.toHandle().destroy(); // Process.destroy would close its streams

                assertThat(err.lines())
                        .containsAnyOf(
                                "talos: interrupted: put 2 messages to orders, partition 0",
                                // the signal came before the answer
                                "talos: interrupted: put nothing to orders; 2 more may be stored");
                assertThat(process.waitFor()).isEqualTo(143);
            }
        }
    }

    private static Process listUsers(ScriptedServer server) throws Exception {
        return run(server, ProcessBuilder.Redirect.INHERIT, "user", "list");
    }

    private static Process run(ScriptedServer server, ProcessBuilder.Redirect err, String... arguments)
            throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Talos.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("TALOS_")); // of who runs the tests
        builder.environment()
                .putAll(Map.of(
                        "TALOS_ENDPOINT",
                        server.uri().toString(),
                        "TALOS_ACCESS_KEY",
                        "AKENV",
                        "TALOS_SECRET_KEY",
                        "env-secret"));
        return builder.redirectError(err).start();
    }
}
