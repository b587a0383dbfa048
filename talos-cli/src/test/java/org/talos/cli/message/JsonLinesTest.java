// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.cli.CommandException;
import org.talos.client.consumer.FetchedMessage;

class JsonLinesTest {
    private static JsonLines.Line read(String line) throws CommandException {
        return JsonLines.read(line.getBytes(UTF_8));
    }

    private static String written(Optional<String> key, byte[] body, long createMillis) {
        Optional<Instant> created =
                createMillis > 0 ? Optional.of(Instant.ofEpochMilli(createMillis)) : Optional.empty();
        return new String(
                JsonLines.write(
                        2,
                        new FetchedMessage("orders", 2, 7, body, key, Map.of(), created, Instant.ofEpochMilli(1_000))),
                UTF_8);
    }

    @Test
    void messageIsWrittenWithRestsNames() {
        assertThat(written(Optional.of("k"), "ä\n".getBytes(UTF_8), 900))
                .isEqualTo("{\"partition\":2,\"offset\":7,\"key\":\"k\",\"timestamp\":900,\"appendTimestamp\":1000,"
                        + "\"value\":\"ä\\n\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0", "1e400", "\"\\u00e9\\/\"", "{\"json\":-0,\"a\":[1e2,\"é\"]}"})
    void jsonIsReadAsItIsWritten(String value) throws Exception {
        assertThat(read("{\"key\": \"é\", \"headers\": {\"json\": \"1\"}, \"json\": " + value + " }")
                        .message()
                        .body())
                .isEqualTo(value.getBytes(UTF_8));
    }

    @Test
    void markOfTheByteOrderIsLeftOut() throws Exception {
        assertThat(read("\ufeff{\"json\":[1]}").message().body()).isEqualTo("[1]".getBytes(UTF_8));
        assertThat(read("\ufeff{\"value\":\"\ufeffa\"}").message().body()).isEqualTo("\ufeffa".getBytes(UTF_8));
    }

    /** Halves of a pair, each as three bytes: it was put as six question marks, as a message in JSON. */
    @Test
    void lineThatIsNoUtf8IsRefused() {
        byte[] line = "{\"json\":\"......\"}".getBytes(UTF_8);
        byte[] halves = {(byte) 0xed, (byte) 0xa0, (byte) 0xb4, (byte) 0xed, (byte) 0xb4, (byte) 0x9e};
        System.arraycopy(halves, 0, line, 9, halves.length);

        assertThatThrownBy(() -> JsonLines.read(line))
                .isInstanceOf(CommandException.class)
                .hasMessage("the line is not UTF-8");
    }

    @Test
    void bytesThatAreNotUtf8AreBase64() {
        assertThat(written(Optional.empty(), new byte[] {-1, 0}, 0))
                .isEqualTo("{\"partition\":2,\"offset\":7,\"appendTimestamp\":1000,\"base64\":\"/wA=\"}");
    }

    @Test
    void writtenLineIsReadWithoutTheServersFields() throws Exception {
        byte[] body = {-1, 0, '"'};

        JsonLines.Line line = read(written(Optional.of("k"), body, 900));

        assertThat(line.message().body()).isEqualTo(body);
        assertThat(line.message().key()).contains("k");
        assertThat(line.partition()).hasValue(2);
    }

    @Test
    void headersAreKeptInTheirOrder() throws Exception {
        JsonLines.Line line = read("{\"value\":\"v\",\"headers\":{\"trace\":\"1\",\"Source\":\"2\",\"age\":\"3\","
                + "\"zone\":\"4\",\"b\":\"5\"}}");

        assertThat(line.message().headers().keySet()).containsExactly("trace", "source", "age", "zone", "b");
        assertThat(line.message().withHeader("a", "6").withKey("k").headers().keySet())
                .containsExactly("trace", "source", "age", "zone", "b", "a");
    }

    @Test
    void lineOfASearchIsReadWithoutWhatTheServerSaysOfIt() throws Exception {
        JsonLines.Line line =
                read("{\"partition\":1,\"offset\":17,\"key\":\"order-17\",\"tag\":\"paid\",\"timestamp\":1,"
                        + "\"appendTimestamp\":2,\"headers\":{\"trace\":\"42\"},\"size\":4,\"value\":\"paid\"}");

        assertThat(line.message().body()).isEqualTo("paid".getBytes(UTF_8));
        assertThat(line.message().key()).contains("order-17");
        assertThat(line.message().headers()).containsExactly(Map.entry("trace", "42"));
        assertThat(line.partition()).hasValue(1);
    }

    @Test
    void headersAreWrittenByNameAndReadAgain() throws Exception {
        FetchedMessage message = new FetchedMessage(
                "orders",
                2,
                7,
                new byte[] {'a'},
                Optional.empty(),
                Map.of("trace", "42", "color", "röt"),
                Optional.empty(),
                Instant.ofEpochMilli(1_000));
        String line = new String(JsonLines.write(2, message), UTF_8);

        assertThat(line).contains("\"headers\":{\"color\":\"röt\",\"trace\":\"42\"},\"value\"");
        assertThat(read(line).message().headers()).isEqualTo(message.headers());
    }

    @Test
    void moreHeadersThanAMessageMayHaveAreRefused() {
        StringBuilder headers = new StringBuilder("\"h0\": \"\"");
        for (int i = 1; i < 65; i++) {
            headers.append(", \"h").append(i).append("\": \"\"");
        }

        assertThatThrownBy(() -> read("{\"value\": \"a\", \"headers\": {" + headers + "}}"))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("64");
    }

    @Test
    void lineNeedsNoMoreThanItsBytes() throws Exception {
        JsonLines.Line line = read("{\"value\": \"a\"}");

        assertThat(line.message().body()).containsExactly('a');
        assertThat(line.message().key()).isEmpty();
        assertThat(line.partition()).isEmpty();
    }

    /** As an argument, a file and REST may be. */
    @ParameterizedTest
    @ValueSource(strings = {"{\"value\": \"\"}", "{\"base64\": \"\"}"})
    void messageMayHaveNoBytes(String line) throws Exception {
        assertThat(read(line).message().body()).isEmpty();
        assertThat(read(written(Optional.empty(), read(line).message().body(), 0))
                        .message()
                        .body())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "hello|no JSON",
                "{\"value\": \"a\"|no JSON",
                "{\"value\": \"a\"} x|no JSON",
                "{\"value\": \"a\", \"value\": \"b\"}|Duplicate",
                "[\"a\"]|no JSON object",
                "{}|one of value, json and base64",
                "{\"value\": \"a\", \"base64\": \"YQ==\"}|one of value, json and base64",
                "{\"value\": 5}|value (expected: text)",
                "{\"value\": \"a\\ud83d\"}|half of a pair",
                "{\"json\": [\"\\ude00\"]}|half of a pair",
                "{\"value\": \"a\", \"key\": \"\\ud83d\"}|half of a pair",
                "{\"base64\": \"%\"}|base64",
                "{\"base64\": 5}|base64",
                "{\"value\": \"a\", \"key\": 5}|key (expected: text)",
                "{\"value\": \"a\", \"partition\": -1}|partition",
                "{\"value\": \"a\", \"partition\": \"1\"}|partition",
                "{\"value\": \"a\", \"partition\": 1.5}|partition",
                "{\"value\": \"a\", \"valueBase65\": 1}|valueBase65 is not known",
                "{\"value\": \"a\", \"size\": 9, \"truncated\": true}|only the beginning of its message",
                "{\"value\": \"a\", \"headers\": [\"a\"]}|headers (expected: texts by name)",
                "{\"value\": \"a\", \"headers\": {\"a\": 5}}|headers (expected: texts by name)",
                "{\"value\": \"a\", \"headers\": {\"a\": \"\\ud83d\"}}|half of a pair"
            })
    void wrongLineIsRefusedWithTheReason(String line, String reason) {
        assertThatThrownBy(() -> read(line))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining(reason);
    }
}
