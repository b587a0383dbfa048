// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.server.runtime.time.SystemTime;

/** Tests the round trip of messages by {@code put} and {@code get}, in each form. */
@Timeout(60)
class PutGetIT {
    private static final byte[] NO_TEXT = {(byte) 0xff, 0, '\r', (byte) 0x80};

    @TempDir
    private static Path home;

    private static CommandFixture server;

    @BeforeAll
    static void start() throws Exception {
        server = new CommandFixture(home);
    }

    @BeforeEach
    void create() {
        server.talos("topic", "create", "orders", "--partitions", "4");
    }

    @AfterEach
    void delete() {
        server.talos("topic", "delete", "orders", "--yes");
        server.err();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static List<JsonNode> lines(String ndjson) throws Exception {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : ndjson.lines().toList()) {
            lines.add(new JsonMapper().readTree(line));
        }
        return lines;
    }

    @Test
    void eachFileIsOneMessageAndRawGivesItBack() throws Exception {
        Path text = Files.writeString(home.resolve("text"), "two\nlines\n");
        Path bytes = Files.write(home.resolve("bytes"), NO_TEXT);

        String said = server.talos("put", "orders", "--partition", "2", "--file", text.toString(), bytes.toString());

        assertThat(said).isEqualTo("put 2 messages to orders, partition 2\n");
        assertThat(server.piped(new byte[0], "get", "orders", "--format", "raw", "--count", "1"))
                .isEqualTo("two\nlines\n".getBytes(UTF_8));
        assertThat(server.piped(new byte[0], "get", "orders", "--partition", "2", "--from", "1", "--format", "raw"))
                .isEqualTo(NO_TEXT);
    }

    @Test
    void fileThatIsNotThereFailsByName() {
        assertThat(server.code("put", "orders", "--file", "nowhere")).isEqualTo(1);
        assertThat(server.err()).contains("file nowhere does not exist");
    }

    @Test
    void linesThatAreNoTextStayWhatTheyAre() {
        byte[] in = {(byte) 0xfe, '\n', '\n', 'a', '\r', '\n', (byte) 0xc3};

        server.piped(in, "put", "orders");

        assertThat(server.piped(new byte[0], "get", "orders")).containsExactly(0xfe, '\n', 'a', '\n', 0xc3, '\n');
    }

    @Test
    void jsonLinesGoWhereTheySayElseWhereTheirKeyBelongs() throws Exception {
        String in = """
                {"value": "by partition", "partition": 3, "key": "k"}
                {"json": {"order": 18, "total": 12.50}, "partition": 3}

                {"base64": "/wANgA==", "key": "order-17"}
                """;

        JsonNode said =
                new JsonMapper().readTree(server.piped(in, "put", "orders", "-", "--format", "ndjson", "-o", "json"));

        int ofKey = said.at("/partitions/0/partition").intValue();
        assertThat(said.toString())
                .isEqualTo("{\"topic\":\"orders\",\"messages\":3,\"partitions\":[{\"partition\":" + ofKey
                        + ",\"messages\":1},{\"partition\":3,\"messages\":2}]}");
        assertThat(server.talos("get", "orders", "--partition", "3"))
                .isEqualTo("by partition\n{\"order\":18,\"total\":12.50}\n");
        assertThat(server.piped(
                        new byte[0], "get", "orders", "--partition", Integer.toString(ofKey), "--format", "raw"))
                .isEqualTo(NO_TEXT);
    }

    @Test
    void whatOneTopicGivesAsJsonLinesAnotherTakes() throws Exception {
        server.talos("put", "orders", "ä €", "--key", "order-17");
        server.piped(NO_TEXT, "put", "orders", "--partition", "3");
        server.talos("topic", "create", "copies", "--partitions", "4");

        String first = server.talos("get", "orders", "--format", "ndjson");
        server.piped(first, "put", "copies", "--format", "ndjson");

        List<JsonNode> copies = lines(server.talos("get", "copies", "-o", "json"));
        assertThat(copies).hasSize(2);
        for (JsonNode line : lines(first)) {
            assertThat(line.has("appendTimestamp")).isTrue();
            assertThat(copies).anySatisfy(copy -> {
                for (String same : List.of("partition", "offset", "key", "value", "base64")) {
                    assertThat(copy.get(same)).isEqualTo(line.get(same));
                }
            });
        }
        server.talos("topic", "delete", "copies", "--yes");
    }

    @Test
    void messagesOfEveryKindGoRoundAsJsonLines() throws Exception {
        server.talos("put", "orders", "", "--partition", "0");
        Path empty = Files.createFile(home.resolve("empty"));
        server.talos("put", "orders", "--file", empty.toString(), "--partition", "0");
        server.piped("""
                {"value": "", "key": "schlüssel", "headers": {"trace": "", "farbe": "röt"}, "partition": 1}
                {"base64": "", "partition": 1}
                {"base64": "/wANgA==", "key": "k", "headers": {"content-type": "image/png"}, "partition": 1}
                {"value": "line\\n\\u0000\\t\\"quoted\\"", "partition": 2}
                {"json": {"total": 12.50}, "partition": 2}
                """, "put", "orders", "--format", "ndjson");
        server.talos("topic", "create", "copies", "--partitions", "4");

        String first = server.talos("get", "orders", "--format", "ndjson");
        server.piped(first, "put", "copies", "--format", "ndjson");
        String second = server.talos("get", "copies", "--format", "ndjson");

        assertThat(first.lines()).hasSize(7);
        assertThat(first)
                .contains("\"key\":\"schlüssel\"", "\"trace\":\"\"", "\"value\":\"\"", "\"base64\":\"/wANgA==\"");
        assertThat(withoutTimes(second)).isEqualTo(withoutTimes(first));
        server.talos("topic", "delete", "copies", "--yes");
    }

    private static String withoutTimes(String lines) {
        return lines.replaceAll("\"(append)?[tT]imestamp\":\\d+,", "");
    }

    @Test
    void emptyLinesAreMessagesWhereThatIsWanted() {
        server.piped("a\n\nb\n\n", "put", "orders", "--empty-lines", "--partition", "1");

        String lines = server.talos("get", "orders");

        assertThat(lines).isEqualTo("a\n\nb\n\n");
        server.piped(lines, "put", "orders", "--empty-lines", "--partition", "2");
        assertThat(server.talos("get", "orders", "--partition", "2")).isEqualTo(lines);
    }

    @Test
    void wrongJsonLineIsNamedAndThoseBeforeItArePut() {
        String in = "{\"value\": \"a\"}\n{\"value\": \"b\"}\n{\"valu\": \"c\"}\n{\"value\": \"d\"}\n";

        int code = server.run(
                new ByteArrayInputStream(in.getBytes(UTF_8)),
                OutputStream.nullOutputStream(),
                "put",
                "orders",
                "--format",
                "ndjson");

        assertThat(code).isEqualTo(5);
        assertThat(server.err()).contains("line 3: valu is not known", "(lines 1-2 are stored, 3- are not)");
        assertThat(server.talos("get", "orders")).isEqualTo("a\nb\n");
    }

    @Test
    void largeMessagesGoOneByOne() {
        String large = "x".repeat(700_000);

        server.piped((large + "\n").repeat(4), "put", "orders", "--compression", "none");

        assertThat(server.talos("get", "orders", "--count", "3")).hasSize(3 * 700_001);
    }

    @Test
    void rangeIsReadFromOneOffsetToAnother() {
        server.piped("0\n1\n2\n3\n4\n", "put", "orders", "--partition", "1");

        assertThat(server.talos("get", "orders", "--partition", "1", "--from", "1", "--to", "4"))
                .isEqualTo("1\n2\n3\n");
        assertThat(server.talos("get", "orders", "--partition", "1", "--from", "1", "--to", "4", "--count", "2"))
                .isEqualTo("1\n2\n");
        assertThat(server.talos("get", "orders", "--partition", "1", "--from", "5"))
                .isEmpty();
        assertThat(server.talos("get", "orders", "--partition", "1", "--from", "3", "--to", "3"))
                .isEmpty();
        assertThat(server.talos("get", "orders", "--partition", "1", "--from", "2", "--to", "99"))
                .isEqualTo("2\n3\n4\n");
    }

    @Test
    void rangeOfTimeIsReadFromAllPartitions() throws Exception {
        server.talos("put", "orders", "before", "--partition", "0");
        server.talos("put", "orders", "also before", "--partition", "1");
        Instant time = justBehind(appended(1));
        server.talos("put", "orders", "after", "--partition", "1");

        assertThat(server.talos("get", "orders", "--from", time.toString())).isEqualTo("after\n");
        assertThat(server.talos("get", "orders", "--to", time.toString())).isEqualTo("before\nalso before\n");
        assertThat(server.talos("get", "orders", "--from", "2100-01-01T00:00:00+02:00"))
                .isEmpty();
    }

    /** Returns the time at which the newest message of a partition was appended. */
    private Instant appended(int partition) throws Exception {
        var topic = new TalosAdmin(new TalosClient(server.endpoint()).once()).describeTopic("orders");
        var newest = new SimpleConsumer(new TalosClient(server.endpoint()).once(), topic, partition)
                .fetch(SimpleConsumer.LATEST, 1);
        return newest.get(newest.size() - 1).appended();
    }

    /** A millisecond later, once that has come: what is put from then on is at or after it. */
    private static Instant justBehind(Instant last) {
        Instant next = last.plusMillis(1);
        while (SystemTime.wallClock().instant().isBefore(next)) {
            Thread.onSpinWait();
        }
        return next;
    }

    @Test
    void followingGivesWhatComesToAnyPartitionUntilTheCount() throws Exception {
        server.talos("put", "orders", "there already", "--partition", "3");
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (var out = new PipedOutputStream();
                var in = new Scanner(new PipedInputStream(out), UTF_8)) {
            Future<Integer> following = other.submit(() -> server.run(
                    InputStream.nullInputStream(), out, "get", "orders", "--follow", "--count", "3", "--offsets"));
            assertThat(in.nextLine()).isEqualTo("3\t0\tthere already");

            server.talos("put", "orders", "to the first", "--partition", "0");
            assertThat(in.nextLine()).isEqualTo("0\t0\tto the first");
            server.piped("one\ntwo\n", "put", "orders", "--partition", "1");
            assertThat(in.nextLine()).isEqualTo("1\t0\tone");

            assertThat(following.get()).isZero();
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void followingEndsWhenARequestFails() {
        assertThat(server.code("get", "orders", "--follow", "--partition", "1", "--from", "9"))
                .isEqualTo(1);
        assertThat(server.err()).contains("MESSAGE_OFFSET_OUT_OF_RANGE");
    }

    @Test
    void linesWithKeysGoRoundByTemplateAndSeparator() {
        server.piped("clé\teins\n\tohne\n", "put", "orders", "--key-separator", "\\t", "--partition", "0");

        String lines = server.talos("get", "orders", "--partition", "0", "--template", "%k\\t%v\\n");
        server.piped(lines, "put", "orders", "--key-separator", "\\t", "--partition", "1", "--header", "from:0");

        assertThat(lines).isEqualTo("clé\teins\n\tohne\n");
        assertThat(server.talos("get", "orders", "--partition", "1", "--template", "%k|%v|%h\\n"))
                .isEqualTo("clé|eins|from=0\n|ohne|from=0\n");
        assertThat(server.talos("get", "orders", "--key", "clé")).isEqualTo("eins\neins\n");
    }

    @Test
    void lastBeginsWithTheLastThatWerePutTogether() {
        server.piped("a\nb\n", "put", "orders", "--partition", "1");
        server.piped("c\nd\n", "put", "orders", "--partition", "1");

        assertThat(server.talos("get", "orders", "--from", "last")).isEqualTo("c\nd\n");
    }

    private static String numbers(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(i -> i + "\n").collect(Collectors.joining());
    }

    @Test
    void manyLinesOverAStreamArriveOnceAndInOrder() {
        String in = numbers(1, 100_000);

        String said = server.piped(in, "put", "orders", "--partition", "1", "--stream");

        assertThat(said).isEqualTo("put 100000 messages to orders, partition 1\n");
        assertThat(server.talos("get", "orders", "--partition", "1", "--stream"))
                .isEqualTo(in);
    }

    @Test
    void linesForNoPartitionGoRoundOverAStreamAsByCalls() throws Exception {
        JsonNode said =
                new JsonMapper().readTree(server.piped(numbers(1, 4_000), "put", "orders", "--stream", "-o", "json"));

        assertThat(said.get("messages").intValue()).isEqualTo(4_000);
        assertThat(said.get("partitions")).hasSize(4);
        String got = server.talos("get", "orders");
        assertThat(server.talos("get", "orders", "--stream")).isEqualTo(got);
        assertThat(got.lines().map(Integer::valueOf).sorted())
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, 4_000).boxed().toList());
    }

    @Test
    void putThatFailsMidwaySaysTheSameOverAStream() {
        String in = """
                {"value": "a", "partition": 0}
                {"value": "b", "partition": 9}
                {"value": "c", "partition": 0}
                """;
        List<String> said = new ArrayList<>();
        for (List<String> option : List.of(List.<String>of(), List.of("--stream"))) {
            List<String> command = new ArrayList<>(List.of("put", "orders", "--format", "ndjson", "-o", "json"));
            command.addAll(option);
            var lines = new ByteArrayInputStream(in.getBytes(UTF_8));
            assertThat(server.run(lines, OutputStream.nullOutputStream(), command.toArray(String[]::new)))
                    .isEqualTo(5);
            said.add(server.err());
        }

        assertThat(said.get(0)).contains("(lines 1,3 are stored, 2,4- are not)", "PARTITION_NOT_EXIST");
        assertThat(said.get(1)).isEqualTo(said.get(0));
    }

    @Test
    void linesThatAreToldAsStoredAreThoseThatAreWhenAStreamsPutIsRefusedMidway() {
        server.talos("quota", "set", "--topic", "orders", "--puts", "5");

        int code = server.run(
                new ByteArrayInputStream(numbers(1, 50_000).getBytes(UTF_8)),
                OutputStream.nullOutputStream(),
                "put",
                "orders",
                "--partition",
                "2",
                "--stream");

        assertThat(code).isEqualTo(5);
        Matcher reported = Pattern.compile("THROTTLE_REJECT_ERROR.*\\(lines 1-(\\d+) are stored, \\d+- are not\\)")
                .matcher(server.err());
        assertThat(reported.find()).isTrue();
        assertThat(server.talos("get", "orders")).isEqualTo(numbers(1, Integer.parseInt(reported.group(1))));
    }

    @Test
    void manyMessagesAcrossPartitionsKeepTheirOrder() {
        String lines = String.join(
                "\n",
                IntStream.range(0, 2_500)
                        .mapToObj(i -> "{\"value\":\"" + i + "\",\"partition\":" + i % 4 + "}")
                        .toList());

        server.piped(lines, "put", "orders", "--format", "ndjson");

        for (int partition = 0; partition < 4; partition++) {
            int rest = partition;
            String expected = String.join(
                    "\n",
                    IntStream.range(0, 2_500)
                            .filter(i -> i % 4 == rest)
                            .mapToObj(Integer::toString)
                            .toList());
            assertThat(server.talos("get", "orders", "--partition", "" + partition))
                    .isEqualTo(expected + "\n");
        }
        assertThat(Arrays.asList(server.talos("get", "orders").split("\n"))).hasSize(2_500);
    }
}
