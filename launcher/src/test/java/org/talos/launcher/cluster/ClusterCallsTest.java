// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;
import picocli.CommandLine;

/** Tests the errors of the commands about a cluster's servers. */
@Timeout(30)
class ClusterCallsTest {
    private static final HttpHandler NO_ANSWER = HttpExchange::close;

    private final StringWriter err = new StringWriter();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static HttpHandler answer(int status, String outcome) {
        return exchange -> {
            byte[] problem = String.format(Locale.ROOT, "{\"detail\":\"because\",\"outcome\":\"%s\"}", outcome)
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(status, problem.length);
            exchange.getResponseBody().write(problem);
            exchange.close();
        };
    }

    private int call(HttpHandler handler, String... arguments) {
        server.createContext("/", handler);
        return run("http://127.0.0.1:" + server.getAddress().getPort(), arguments);
    }

    private int run(String endpoint, String... arguments) {
        var context = new CommandContext(
                Map.of("TALOS_ENDPOINT", endpoint, "TALOS_ACCESS_KEY", "AK", "TALOS_SECRET_KEY", "s"),
                InputStream.nullInputStream(),
                out,
                Path.of("none"),
                false);
        CommandLine command = Commands.prepared(new ClusterCommand(context));
        return command.setErr(new PrintWriter(err, true)).execute(arguments);
    }

    @Test
    void wishWithoutAnAnswerMayHaveHappened() {
        assertThat(call(NO_ANSWER, "drain", "talos-1")).isEqualTo(4);

        assertThat(err.toString()).endsWith("(it may have happened)" + System.lineSeparator());
    }

    @Test
    void readWithoutAnAnswerHasNoEffect() {
        assertThat(call(NO_ANSWER, "status")).isEqualTo(1);

        assertThat(err.toString()).startsWith("talos: ").doesNotContain("may have happened");
    }

    @Test
    void wishThatNobodyHeardDidNotHappen() {
        assertThat(run("http://127.0.0.1:1", "rebalance")).isEqualTo(1);

        assertThat(err.toString()).doesNotContain("may have happened");
    }

    @Test
    void failureOfAProxyLeavesOpenWhatTheServerDid() {
        HttpHandler proxy = exchange -> {
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
        };

        assertThat(call(proxy, "rebalance")).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({
        "404, did-not-happen, 3",
        "403, did-not-happen, 1",
        "503, did-not-happen, 1",
        "503, unknown, 4",
        "503, happened, 4",
        "500, unknown, 4"
    })
    void refusalSaysWhatBecameOfTheWish(int status, String outcome, int exitCode) {
        assertThat(call(answer(status, outcome), "move", "orders", "1", "talos-1"))
                .isEqualTo(exitCode);

        assertThat(err.toString()).contains("because");
    }

    @Test
    void singleServerIsNoCluster() {
        HttpHandler single = exchange -> {
            byte[] problem = ("{\"detail\":\"this server is not one of several, or has not joined them yet\","
                            + "\"outcome\":\"did-not-happen\"}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(422, problem.length);
            exchange.getResponseBody().write(problem);
            exchange.close();
        };

        assertThat(call(single, "status")).isEqualTo(1);

        assertThat(err.toString()).contains("is a single server, not a cluster").doesNotContain("422");
    }

    /** Answers the wish, and then each look at the servers with the next of these numbers of partitions. */
    private static HttpHandler drained(Integer... partitions) {
        Queue<Integer> left = new ArrayDeque<>(List.of(partitions));
        return exchange -> {
            exchange.getRequestBody().readAllBytes();
            if (exchange.getRequestMethod().equals("PUT")) {
                exchange.sendResponseHeaders(204, -1);
            } else {
                int now = left.size() > 1 ? left.remove() : left.element();
                byte[] status = String.format(Locale.ROOT, """
                        {"leader":"talos-2",
                        "servers":[{"server":"talos-1","state":"drained","address":"","partitions":%d}]}
                        """, now).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, status.length);
                exchange.getResponseBody().write(status);
            }
            exchange.close();
        };
    }

    @Test
    void drainWaitsUntilTheServerHasNoPartitions() {
        assertThat(call(drained(12, 5, 0), "drain", "talos-1", "--wait")).isZero();

        assertThat(out).hasToString("talos-1 has no partitions any more\n");
    }

    /** It is done in part, and nobody should think that the wish is taken back. */
    @Test
    void drainThatTakesTooLongGoesOnAndSaysSo() {
        assertThat(call(drained(3), "drain", "talos-1", "--wait", "--within", "0"))
                .isEqualTo(5);

        assertThat(err.toString()).contains("talos-1 has 3 partitions after 0 s; the leader continues");
    }

    @Test
    void drainWithoutWaitingEndsAtOnce() {
        assertThat(call(drained(3), "drain", "talos-1")).isZero();

        assertThat(out).hasToString("talos-1 is drained\n");
    }
}
