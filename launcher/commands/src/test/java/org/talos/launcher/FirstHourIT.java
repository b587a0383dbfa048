// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.CommandContext;
import picocli.CommandLine;

/** Tests the first hour of a person who has never used the command. */
@Timeout(60)
class FirstHourIT {
    @TempDir
    private static Path home;

    private static CommandFixture server;

    private String topic = "";

    @BeforeAll
    static void start() throws Exception {
        server = new CommandFixture(home);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void makeTopic(TestInfo test) {
        topic = test.getTestMethod().orElseThrow().getName();
        server.talos("topic", "create", topic, "--partitions", "3");
    }

    /** Returns the output of a command on a terminal without a person who types. */
    private static String onTerminal(Map<String, String> environment, String... arguments) {
        var out = new ByteArrayOutputStream();
        var err = new StringWriter();
        var context = new CommandContext(environment, InputStream.nullInputStream(), out, home, true);
        CommandLine command = Main.commandLine(context, arguments);
        command.setErr(new PrintWriter(err, true));
        assertThat(command.execute(arguments)).as("%s", err).isZero();
        return out.toString(StandardCharsets.UTF_8);
    }

    private static String onTerminal(String... arguments) {
        return onTerminal(Map.of("TALOS_ENDPOINT", server.uri().toString()), arguments);
    }

    /** Messages of the same millisecond are ordered by their partitions. */
    private static void awaitTheNextMillisecond() {
        long now = Instant.now().toEpochMilli();
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> Instant.now().toEpochMilli() > now);
    }

    @Test
    void tailPrintsTheLastOfAllPartitionsByTime() {
        for (int i = 0; i < 6; i++) {
            server.talos("put", topic, "message " + i, "--partition", Integer.toString(i % 3));
            awaitTheNextMillisecond();
        }

        assertThat(server.talos("tail", topic, "--last", "4", "--no-follow"))
                .isEqualTo("message 2\nmessage 3\nmessage 4\nmessage 5\n");
        assertThat(server.talos("tail", topic, "-n", "2", "--no-follow", "--partition", "0", "--offsets"))
                .isEqualTo("0\t0\tmessage 0\n0\t1\tmessage 3\n");
        assertThat(server.talos("tail", topic, "-n", "0", "--no-follow")).isEmpty();
        assertThat(server.talos("tail", topic, "--from", "1h", "--no-follow").lines())
                .hasSize(6);
        assertThat(server.talos(
                        "tail",
                        topic,
                        "--from",
                        "@" + Instant.now().plus(1, ChronoUnit.HOURS).toEpochMilli(),
                        "--no-follow"))
                .isEmpty();
    }

    @Test
    void tailFollowsUntilItHasEnough() throws Exception {
        server.talos("put", topic, "before", "--partition", "1");
        Thread producer = new Thread(() -> {
            for (int i = 0; i < 3; i++) {
                server.talos("put", topic, "after " + i, "--partition", "2");
            }
        });
        producer.start();

        String tailed = server.talos("tail", topic, "--count", "4");

        producer.join();
        assertThat(tailed).startsWith("before\n").endsWith("after 2\n");
        assertThat(tailed.lines()).hasSize(4);
    }

    @Test
    void grepPassesOverWhatIsNotFoundAndCountsTheRest() {
        String lines =
                IntStream.range(0, 2_500).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining());
        server.piped(lines, "put", topic, "--partition", "0");

        assertThat(server.talos("get", topic, "--partition", "0", "--grep", "^line 2\\d{3}$", "--count", "2"))
                .isEqualTo("line 2000\nline 2001\n");
        assertThat(server.talos("get", topic, "--partition", "0", "--grep", "LINE 7$", "-i"))
                .isEqualTo("line 7\n");
        assertThat(server.talos("tail", topic, "-n", "100", "--no-follow", "--grep", "99$"))
                .isEqualTo("line 2499\n");
        assertThat(server.talos("get", topic, "--last", "2", "--grep", "7$")).isEqualTo("line 2487\nline 2497\n");
        assertThat(server.talos("get", topic, "--last", "3")).isEqualTo("line 2497\nline 2498\nline 2499\n");
        assertThat(server.code("get", topic, "--ignore-case")).isEqualTo(2);
    }

    @Test
    void timesMayBeWrittenAsPeopleDo() {
        server.talos("put", topic, "now", "--partition", "0");

        for (String from : new String[] {"1h", "yesterday", "2020-01-31", "@1577836800000"}) {
            assertThat(server.talos("get", topic, "--from", from)).isEqualTo("now\n");
            assertThat(server.talos("group", "reset", topic, "g", "--to", from)).contains("nothing is changed yet");
        }
        server.err();
        assertThat(server.code("get", topic, "--from", "1577836800000")).isEqualTo(2);
        assertThat(server.err()).contains("an offset needs --partition", "@ and milliseconds");
        assertThat(server.code("get", topic, "--partition", "0", "--from", "1577836800000"))
                .isEqualTo(1);
        assertThat(server.err()).contains("write @1577836800000", "Next: 'talos topic describe");
    }

    @Test
    void numbersHaveUnitsOnATerminalAndArePlainInAPipe() {
        server.talos("put", topic, "x".repeat(5_000), "--partition", "0", "--compression", "none");
        server.talos("quota", "set", "--topic", topic, "--space", "10GB");

        assertThat(server.talos("topic", "list")).contains("RETENTION/S", " 86400 ");
        assertThat(server.talos("quota", "show", "--topic", topic)).contains("SPACE/B", " 10000000000 ");
        assertThat(onTerminal("topic", "list")).contains("RETENTION ", " 1d ").doesNotContain("86400");
        assertThat(onTerminal("quota", "show", "--topic", topic))
                .contains("9.31 GiB")
                .doesNotContain("SPACE/B");
        assertThat(onTerminal("topic", "describe", topic)).contains("retention      1d", " KiB");
        assertThat(onTerminal("topic", "list", "-o", "json")).contains("\"retentionSeconds\":86400");
    }

    @Test
    void partitionWithoutMessagesHasNoLastOne() {
        server.talos("put", topic, "one", "--partition", "0");

        assertThat(server.talos("topic", "describe", topic).lines().map(String::strip))
                .anyMatch(line -> line.matches("0 +0 +0 +1 +\\d+"))
                .anyMatch(line -> line.matches("1 +0 +- +0 +0"));
    }

    @Test
    void keyOfANewUserGoesToAFileThatNobodyElseReads() throws Exception {
        Path file = home.resolve("keys/ann.credentials");

        assertThat(server.talos("user", "add", "ann", "--out", file.toString()))
                .isEqualTo("added ann; the key is in " + file + ", which nobody else may read\n");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(server.talos("topic", "list", "--credentials", file.toString()))
                .startsWith("TOPIC");
        assertThat(server.code("user", "add", "bob", "--out", file.toString())).isEqualTo(1);
        assertThat(server.err()).contains("is there already");
        assertThat(server.talos("user", "list")).doesNotContain("bob");
        Path other = home.resolve("keys/other");
        assertThat(server.code("user", "add", "ann", "--out", other.toString())).isEqualTo(1);
        assertThat(other).doesNotExist();
        assertThat(server.json("user", "add", "carl", "--out", other.toString()).toString())
                .contains("\"accessKey\"", "\"file\"")
                .doesNotContain("secretKey");
    }

    @Test
    void profileTakesThePlaceOfServerAndKey() {
        Map<String, String> environment =
                Map.of("XDG_CONFIG_HOME", home.resolve("config").toString());
        String credentials = home.resolve("data/admin.credentials").toString();

        assertThat(onTerminal(
                        environment,
                        "profile",
                        "add",
                        "local",
                        "--endpoint",
                        server.uri().toString(),
                        "--key",
                        credentials))
                .isEqualTo("added local, in use from now on\n");
        assertThat(onTerminal(
                        environment,
                        "profile",
                        "add",
                        "nowhere",
                        "--endpoint",
                        "http://127.0.0.1:1",
                        "--credentials",
                        credentials))
                .contains("talos profile use nowhere");

        assertThat(onTerminal(environment, "topic", "list")).contains(topic);
        assertThat(onTerminal(environment, "profile", "list").lines().map(String::strip))
                .anyMatch(line -> line.startsWith("*  local"))
                .anyMatch(line -> line.startsWith("nowhere"));
        assertThat(onTerminal(environment, "profile", "show", "local"))
                .contains("profile      local, in use", "endpoint     " + server.uri(), "access key   TK")
                .doesNotContain("secretKey");
        assertThat(onTerminal(environment, "profile", "use", "nowhere")).isEqualTo("in use: nowhere\n");
        assertThat(onTerminal(environment, "topic", "list", "--profile", "local"))
                .contains(topic);
        assertThat(onTerminal(environment, "profile", "remove", "nowhere", "--yes"))
                .isEqualTo("removed nowhere\n");
        assertThat(onTerminal(environment, "profile", "list", "-o", "json"))
                .contains("\"name\":\"local\"", "\"inUse\":false")
                .doesNotContain("secret");
    }

    @Test
    void topWithoutATerminalIsATableOrADocument() throws Exception {
        server.talos("put", topic, "a", "b", "--partition", "0");
        server.talos("group", "reset", topic, "shipping", "--to", "earliest", "--execute");

        String table = server.talos("top", "--topics", "^" + topic + "$", "--interval", "1");
        JsonNode document = server.json("top", "--topics", "^" + topic + "$", "--interval", "1");

        assertThat(table.lines().map(String::strip))
                .anyMatch(line -> line.startsWith("TOPIC"))
                .anyMatch(line -> line.matches(topic + " +3 +0 +0 B +\\d+ B +2 +2"))
                .anyMatch(line -> line.matches("shipping +" + topic.substring(0, 22) + "~ +0 +0 +2"));
        assertThat(document.get("topics").get(0).get("messages").longValue()).isEqualTo(2);
        assertThat(document.get("groups").get(0).get("lag").longValue()).isEqualTo(2);
        assertThat(server.code("top", "--interval", "0")).isEqualTo(2);
    }
}
