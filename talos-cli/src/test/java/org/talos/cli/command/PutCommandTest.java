// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.talos.cli.command.ScriptedCommand.NOTHING;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.cli.message.HeapShare;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.Message;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/** The output of a put that ends halfway: a script must know from where to continue. */
@Timeout(30)
class PutCommandTest {
    private static final int BATCH = 1_000;

    private final Path home;

    @AutoClose
    private final ScriptedCommand talos;

    PutCommandTest(@TempDir Path home) throws IOException {
        this.home = home;
        talos = new ScriptedCommand(home);
    }

    private void topicThenTaken(int partitions, int puts) {
        talos.server.then(ScriptedCommand.topic(partitions));
        for (int i = 0; i < puts; i++) {
            talos.server.then(result(new PutMessageResponse("id")));
        }
    }

    private static String lines(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(i -> "m" + i + "\n").collect(Collectors.joining());
    }

    private static String ndjson(int... partitions) {
        return IntStream.of(partitions)
                .mapToObj(each -> "{\"value\":\"m\",\"partition\":" + each + "}\n")
                .collect(Collectors.joining());
    }

    private List<PutMessageRequest> puts() {
        return talos.server.asked().stream()
                .filter(each -> each.uri().contains("putMessage"))
                .map(each -> each.request(new PutMessageRequest()))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"put orders @SECRET", "put orders -- @SECRET", "put orders --key @SECRET @SECRET"})
    void argumentThatBeginsWithAnAtSignIsTextAndNoFileIsRead(String line) throws Exception {
        Path secret = Files.writeString(home.resolve("secret"), "words of a file");
        topicThenTaken(1, 1);

        assertThat(talos.call(line.replace("SECRET", secret.toString()).split(" ")))
                .as(talos::err)
                .isZero();

        assertThat(MessageBlocks.read(puts().get(0).getMessageBlocks().get(0), 1_000))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.getMessage().getMessage()).asString().isEqualTo("@" + secret);
                    assertThat(each.getMessage().getPartitionKey()).isIn(null, "@" + secret);
                });
    }

    private List<Message> messages() throws MalformedBlockException {
        List<Message> messages = new ArrayList<>();
        for (PutMessageRequest each : puts()) {
            MessageBlocks.read(each.getMessageBlocks().get(0), 1 << 20).forEach(one -> messages.add(one.getMessage()));
        }
        return messages;
    }

    private static String header(Message message, String name) {
        ByteBuffer value = message.isSetHeaders() ? message.getHeaders().get(name) : null;
        return value == null
                ? "none"
                : StandardCharsets.UTF_8.decode(value.duplicate()).toString();
    }

    @Test
    void headersAreThoseOfAllMessagesThatHaveNoneOfThatName() throws Exception {
        topicThenTaken(1, 1);

        assertThat(talos.in("{\"value\":\"a\"}\n{\"value\":\"b\",\"headers\":{\"trace\":\"own\"}}\n")
                        .call(
                                "put",
                                "orders",
                                "--format",
                                "ndjson",
                                "--header",
                                "Trace: 4b:f9",
                                "--header",
                                "color:red"))
                .as(talos::err)
                .isZero();

        assertThat(messages()).extracting(each -> header(each, "trace")).containsExactly("4b:f9", "own");
        assertThat(messages()).extracting(each -> header(each, "color")).containsExactly("red", "red");
    }

    @Test
    void keyOfALineIsWhatIsBeforeTheSeparator() throws Exception {
        topicThenTaken(1, 1);

        assertThat(talos.in("a\t1\n\t2\n").call("put", "orders", "--key-separator", "\\t", "--key", "other"))
                .as(talos::err)
                .isZero();

        assertThat(messages()).extracting(Message::getPartitionKey).containsExactly("a", "other");
        assertThat(messages())
                .extracting(each -> StandardCharsets.UTF_8
                        .decode(each.bufferForMessage().duplicate())
                        .toString())
                .containsExactly("1", "2");
    }

    @Test
    void lineWithoutASeparatorEndsThePutBehindThoseBeforeIt() {
        topicThenTaken(1, 1);

        assertThat(talos.in("a:1\nb\nc:3\n").call("put", "orders", "--key-separator", ":"))
                .isEqualTo(5);

        assertThat(talos.err()).contains("line 2: no ':' (expected: ", "(line 1 is stored, 2- are not)");
    }

    @Test
    void partThatIsStoredIsNamedWhenTheNextPutIsRefused() {
        topicThenTaken(1, 2);
        talos.server.then(error(ErrorCode.THROTTLE_REJECT_ERROR, "too many"));

        assertThat(talos.in(lines(2_500)).call("put", "orders")).isEqualTo(5);

        assertThat(talos.err())
                .isEqualTo("talos: THROTTLE_REJECT_ERROR: too many (lines 1-2000 are stored, 2001- are not)\n");
    }

    @Test
    void serverWithoutStreamsIsPutToByCallsInTheirOrder() {
        topicThenTaken(1, 3);

        assertThat(talos.in(lines(2_500)).call("put", "orders", "--stream")).isZero();

        assertThat(talos.out()).isEqualTo("put 2500 messages to orders, partition 0\n");
        assertThat(puts()).extracting(PutMessageRequest::getMessageNumber).containsExactly(1_000, 1_000, 500);
    }

    @Test
    void partsAreNamedWithStreamsAsWithout() {
        topicThenTaken(1, 2);
        talos.server.then(error(ErrorCode.THROTTLE_REJECT_ERROR, "too many"));

        assertThat(talos.in(lines(4_500)).call("put", "orders", "--stream")).isEqualTo(5);

        assertThat(talos.err())
                .isEqualTo("talos: THROTTLE_REJECT_ERROR: too many (lines 1-2000 are stored, 2001- are not)\n");
        assertThat(puts()).hasSize(3);
    }

    @Test
    void partThatMayBeStoredIsNamedWithStreamsAsWithout() {
        topicThenTaken(1, 1);
        talos.server.then(NOTHING);

        assertThat(talos.in(lines(4_500)).call("put", "orders", "--stream")).isEqualTo(4);

        assertThat(talos.err()).endsWith("(lines 1-1000 are stored, 1001-2000 may be, 2001- are not)\n");
        assertThat(puts()).hasSize(2);
    }

    @Test
    void wrongLineEndsThePutWithStreamsBehindThoseBeforeIt() {
        topicThenTaken(2, 2);

        String in = ndjson(0, 1) + "{}\n" + ndjson(0);
        assertThat(talos.in(in).call("put", "orders", "--format", "ndjson", "--stream"))
                .isEqualTo(5);

        assertThat(talos.err()).contains("line 3: ", "(lines 1-2 are stored, 3- are not)");
    }

    @Test
    void programsAreToldThePartsAndThatItIsNotToBeRepeated() {
        topicThenTaken(1, 2);
        talos.server.then(error(ErrorCode.THROTTLE_REJECT_ERROR, "too many"));

        assertThat(talos.in(lines(2_500)).call("put", "orders", "-o", "json")).isEqualTo(5);

        assertThat(talos.err())
                .isEqualTo("{\"message\":\"THROTTLE_REJECT_ERROR: too many (lines 1-2000 are stored, 2001- are not)\","
                        + "\"code\":\"THROTTLE_REJECT_ERROR\",\"outcome\":\"partly\",\"retryable\":false,"
                        + "\"progress\":{\"messages\":2000,\"stored\":[{\"from\":1,\"to\":2000}],\"unknown\":[],"
                        + "\"notStored\":[{\"from\":2001}]},\"exitCode\":5}\n");
    }

    @Test
    void partThatMayBeStoredIsNamedWhenAnAnswerIsLost() {
        topicThenTaken(1, 1);
        talos.server.then(NOTHING);

        assertThat(talos.in(lines(2_500)).call("put", "orders", "-o", "json")).isEqualTo(4);

        assertThat(talos.err())
                .contains(
                        "\"outcome\":\"unknown\",\"retryable\":false",
                        "\"progress\":{\"messages\":1000,\"stored\":[{\"from\":1,\"to\":1000}],"
                                + "\"unknown\":[{\"from\":1001,\"to\":2000}],\"notStored\":[{\"from\":2001}]}");
    }

    @Test
    void firstPutWithoutAnAnswerLeavesTheRestSurelyNotStored() {
        topicThenTaken(1, 0);
        talos.server.then(NOTHING);

        assertThat(talos.call("put", "orders", "a", "b")).isEqualTo(4);

        assertThat(talos.err()).contains("CONNECTION").endsWith("(messages 1-2 may be stored)\n");
    }

    @Test
    void refusedPutOfWhichNothingIsStoredDidNotHappen() {
        topicThenTaken(1, 0);
        talos.server.then(error(ErrorCode.THROTTLE_REJECT_ERROR, "too many"));

        assertThat(talos.in(lines(2_500)).call("put", "orders", "-o", "json")).isEqualTo(1);

        assertThat(talos.err())
                .isEqualTo("{\"message\":\"THROTTLE_REJECT_ERROR: too many\",\"code\":\"THROTTLE_REJECT_ERROR\","
                        + "\"outcome\":\"did-not-happen\",\"retryable\":true,\"exitCode\":1}\n");
    }

    @Test
    void linesOfSeveralPartitionsAreToldApart() {
        topicThenTaken(3, 1);
        talos.server.then(NOTHING);

        assertThat(talos.in(ndjson(0, 0, 1, 0, 2, 1)).call("put", "orders", "--format", "ndjson"))
                .isEqualTo(4);

        assertThat(talos.err()).endsWith("(lines 1-2,4 are stored, 3,6 may be, 5,7- are not)\n");
    }

    @Test
    void emptyLinesCountAsLines() {
        topicThenTaken(2, 1);
        talos.server.then(error(ErrorCode.PARTITION_NOT_SERVING, "not here"));

        String in = "\n" + ndjson(0) + "\n\n" + ndjson(1) + ndjson(0) + "\n";
        assertThat(talos.in(in).call("put", "orders", "--format", "ndjson")).isEqualTo(5);

        assertThat(talos.err()).contains("(lines 1-2,6 are stored, 3-5,7- are not)");
    }

    @Test
    void wrongLineEndsThePutBehindThoseBeforeIt() {
        topicThenTaken(1, 1);

        String in = ndjson(0, 0) + "{}\n" + ndjson(0);
        assertThat(talos.in(in).call("put", "orders", "--format", "ndjson", "-o", "json"))
                .isEqualTo(5);

        assertThat(talos.err())
                .contains("line 3: one of value, json", "\"outcome\":\"partly\"", "\"notStored\":[{\"from\":3}]");
    }

    @Test
    void wrongFirstLineSendsNothing() {
        topicThenTaken(1, 0);

        assertThat(talos.in("{}\n" + ndjson(0)).call("put", "orders", "--format", "ndjson"))
                .isEqualTo(1);

        assertThat(talos.err()).startsWith("talos: line 1: one of value").doesNotContain("stored");
        assertThat(puts()).isEmpty();
    }

    @Test
    void fileThatCantBeReadEndsThePutBehindThoseThatWereFull() throws IOException {
        topicThenTaken(1, 1);
        String file = Files.writeString(home.resolve("file"), "m").toString();
        String[] arguments = new String[BATCH + 4];
        IntStream.range(0, arguments.length).forEach(i -> arguments[i] = file);
        arguments[0] = "put";
        arguments[1] = "orders";
        arguments[2] = "--file";
        arguments[BATCH + 3] = "nowhere";

        assertThat(talos.call(arguments)).isEqualTo(5);

        assertThat(talos.err())
                .isEqualTo("talos: file nowhere does not exist (files 1-1000 are stored, 1001 is not)\n");
    }

    @Test
    void linesThatAreTypedHaveAPromptAndASummary() {
        topicThenTaken(1, 1);

        assertThat(talos.typing("one\ntwo\n").call("put", "orders"))
                .as(talos.err())
                .isZero();

        assertThat(talos.err()).isEqualTo("One message a line; Ctrl-D ends.\n> \n");
        assertThat(talos.out()).isEqualTo("put 2 messages to orders, partition 0\n");
    }

    @Test
    void linesThatNobodyTypesHaveNoPrompt() {
        topicThenTaken(1, 2);

        assertThat(talos.in("one\n").call("put", "orders")).as(talos.err()).isZero();
        assertThat(talos.err()).isEmpty();
    }

    @Test
    void programThatReadsTheResultIsNotPrompted() {
        topicThenTaken(1, 1);

        assertThat(talos.typing("one\n").call("put", "orders", "-o", "json"))
                .as(talos.err())
                .isZero();

        assertThat(talos.err()).isEmpty();
    }

    @Test
    void folderIsNoMessage() throws IOException {
        topicThenTaken(1, 1);
        Path folder = Files.createDirectory(home.resolve("folder"));

        assertThat(talos.call("put", "orders", "--file", folder.toString())).isEqualTo(1);

        assertThat(talos.err()).isEqualTo("talos: file " + folder + " is a folder\n");
    }

    /** It is one message, of which no part is known to be there before all is. */
    @Test
    void putOfASingleFileShowsForHowLongItTakes() throws IOException {
        talos.server.then(ScriptedCommand.topic(1)).then((exchange, body) -> {
            await().until(() -> talos.err().contains("0:0"));
            result(new PutMessageResponse("id")).to(exchange, body);
        });

        assertThat(talos.watched()
                        .call("put", "orders", "--file", sparse("file", 2_048).toString()))
                .isZero();

        assertThat(talos.err()).startsWith("\rput  2.00 KiB  0:00\033[K").endsWith("\033[K\r\033[K");
    }

    @Test
    void fileThatIsTooLargeForAMessageIsRefusedBeforeAnythingIsPut() throws IOException {
        topicThenTaken(1, 2);
        int most = HeapShare.eighth();
        Path large = sparse("large", most + 1L);

        assertThat(talos.call("put", "orders", "--file", sparse("small", 1).toString(), large.toString()))
                .isEqualTo(1);

        assertThat(talos.err())
                .startsWith("talos: file " + large + " has " + (most + 1) + " bytes (expected: " + most + " at most")
                .contains("lines from standard input", "split it");
        assertThat(talos.server.asked()).isEmpty();
    }

    private Path sparse(String name, long bytes) throws IOException {
        Path file = home.resolve(name);
        try (RandomAccessFile written = new RandomAccessFile(file.toFile(), "rw")) {
            written.setLength(bytes);
        }
        return file;
    }

    @Test
    void pipeIsReadNoFurtherThanAMessageMayBe() {
        Path endless = Path.of("/dev/zero");
        assumeThat(endless).exists();
        topicThenTaken(1, 0);

        assertThat(talos.call("put", "orders", "--file", endless.toString())).isEqualTo(1);

        assertThat(talos.err())
                .startsWith("talos: file /dev/zero has more than " + HeapShare.eighth() + " bytes (expected: ");
        assertThat(puts()).isEmpty();
    }

    @Test
    void topicThatCantBeLookedUpLeavesNothingUnknown() {
        talos.server.then(NOTHING);

        assertThat(talos.call("put", "orders", "a", "-o", "json")).isEqualTo(1);

        assertThat(talos.err()).contains("\"code\":\"CONNECTION\",\"outcome\":\"did-not-happen\"");
    }

    @Test
    void messagesWithoutAKeyGoRound() {
        topicThenTaken(3, 3);

        assertThat(talos.in(lines(3 * BATCH)).call("put", "orders")).isZero();

        List<Integer> partitions = puts().stream()
                .map(each -> each.getTopicAndPartition().getPartitionId())
                .toList();
        assertThat(partitions).hasSize(3);
        assertThat(partitions.get(1)).isEqualTo((partitions.get(0) + 1) % 3);
        assertThat(partitions.get(2)).isEqualTo((partitions.get(0) + 2) % 3);
    }

    @Test
    void messagesWithAKeyStayTogether() {
        topicThenTaken(3, 3);

        assertThat(talos.in(lines(3 * BATCH)).call("put", "orders", "--key", "k"))
                .isZero();

        assertThat(puts())
                .extracting(each -> each.getTopicAndPartition().getPartitionId())
                .hasSize(3)
                .containsOnly(puts().get(0).getTopicAndPartition().getPartitionId());
    }

    @Test
    void storedPutIsNoFailureThatCanBeRepeatedWhenItsReportIsLost() {
        topicThenTaken(1, 1);

        assertThat(talos.withoutRoomForOutput().call("put", "orders", "a")).isEqualTo(5);

        assertThat(talos.err()).startsWith("talos: done, but ").contains("No space left");
    }
}
