// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.http.body.Body;
import org.talos.server.http.rest.json.Rendered;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;

/** Messages as JSON, which is written from their bytes without a tree. */
class MessageJsonTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static JsonNode written(ByteBuffer bytes, Form form) throws Exception {
        return MAPPER.readTree(Rendered.text(body(new Message(bytes), 7, form)));
    }

    private static Body body(Message message, long offset, Form form) {
        return MessageJson.body(MessageJson.prepare(new MessageAndOffset(message, offset), form));
    }

    private static ByteBuffer bytes(int... bytes) {
        ByteBuffer buffer = ByteBuffer.allocate(bytes.length);
        Arrays.stream(bytes).forEach(each -> buffer.put((byte) each));
        return buffer.flip();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "é", "€", "𝄞", "\"\\\n\u0000\u007f/", "aé€𝄞"})
    void textIsAValueWhateverItsCharactersAndHoweverLongItIs(String text) throws Exception {
        for (int times : new int[] {1, 255, 256, 511, 512, 513, 5_000}) {
            String whole = text.repeat(times);

            assertThat(written(ByteBuffer.wrap(whole.getBytes(UTF_8)), Form.AUTO)
                            .get("value")
                            .asText())
                    .isEqualTo(whole);
        }
    }

    @Test
    void bytesThatAreNoTextAreBase64WhereverTheyStopBeingOne() throws Exception {
        byte[] text = "aé€𝄞".repeat(300).getBytes(UTF_8);
        for (ByteBuffer wrong : List.of(
                bytes(0x80), bytes(0xc3), bytes(0xe2, 0x82), bytes(0xc0, 0x80), bytes(0xed, 0xa0, 0x80), bytes(0xff))) {
            ByteBuffer whole = ByteBuffer.allocate(text.length + wrong.remaining())
                    .put(text)
                    .put(wrong)
                    .flip();

            JsonNode json = written(whole, Form.AUTO);

            assertThat(json.has("value")).isFalse();
            assertThat(json.get("base64").binaryValue()).isEqualTo(whole.array());
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void partOfAnArrayIsThatPartAlone(Form form) throws Exception {
        ByteBuffer part = ByteBuffer.wrap("xx[1,\"é\"]yy".getBytes(UTF_8), 2, 8).slice();
        ByteBuffer direct = ByteBuffer.allocateDirect(8).put(part.duplicate()).flip();

        JsonNode json = written(part, form);

        assertThat(json.size()).isEqualTo(2);
        assertThat(json.get("offset").asLong()).isEqualTo(7);
        switch (form) {
            case BASE64 -> assertThat(json.get("base64").asText()).isEqualTo("WzEsIsOpIl0=");
            case JSON -> assertThat(json.get("json")).isEqualTo(MAPPER.readTree("[1,\"é\"]"));
            case AUTO, TEXT -> assertThat(json.get("value").asText()).isEqualTo("[1,\"é\"]");
        }
        assertThat(written(direct, form)).isEqualTo(json);
        assertThat(part.remaining()).isEqualTo(8);
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void objectIsTheSameInBuffersOfAnySize(Form form) throws Exception {
        Message message = new Message(
                ByteBuffer.wrap("{\"a\": \"\\n€\ud834\udd1e\\u0007\"}".repeat(1).getBytes(UTF_8)));
        message.setPartitionKey("key \u0001 € " + "x".repeat(5_000) + "\ud834\udd1e");
        message.setTag("\"tag\"");
        message.setHeaders(Map.of("n\u0000", ByteBuffer.wrap("v\t".getBytes(UTF_8)), "b", ByteBuffer.allocate(0)));
        byte[] whole = Rendered.bytes(body(message, 7, form), 1 << 16);

        for (int size = Body.LEAST_ROOM_BYTES; size < 40; size++) {
            assertThat(Rendered.bytes(body(message, 7, form), size)).isEqualTo(whole);
        }
        JsonNode json = MAPPER.readTree(whole);
        assertThat(json.get("key").asText()).isEqualTo(message.getPartitionKey());
        assertThat(json.get("tag").asText()).isEqualTo("\"tag\"");
        assertThat(json.get("headers").get("n\u0000").asText()).isEqualTo("v\t");
        assertThat(json.get("headers").get("b").asText()).isEmpty();
        assertThat((long) whole.length)
                .isLessThanOrEqualTo(body(message, 7, form).mostBytes());
    }

    @Test
    void base64IsThatOfTheJdkForEachLength() throws Exception {
        byte[] bytes = new byte[300];
        new Random(17).nextBytes(bytes);
        for (int length = 1; length < bytes.length; length++) {
            byte[] some = Arrays.copyOf(bytes, length);

            assertThat(written(ByteBuffer.wrap(some), Form.BASE64).get("base64").asText())
                    .isEqualTo(Base64.getEncoder().encodeToString(some));
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void renderingTakesNoMemoryOfTheMessagesSize(Form form) {
        Message message = new Message(ByteBuffer.wrap(("\"" + "\u0007 é".repeat(1 << 20) + "\"").getBytes(UTF_8)));
        message.setTag("\u0007".repeat(1 << 20));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        long before = 0;
        for (int turn = 0; turn < 2; turn++) { // the first one loads what is needed
            before = threads.getCurrentThreadAllocatedBytes();
            Body body = body(message, 7, form);
            while (!body.isDone()) {
                body.fill(buffer.clear());
            }
        }

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(1 << 18);
    }

    private static ByteBuffer malformed(int times) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * times);
        for (int i = 0; i < times; i++) {
            bytes.put((byte) 0xff).put("é\t".getBytes(UTF_8));
        }
        return bytes.flip();
    }

    @Test
    void headersAreTextsWhateverTheirBytes() throws Exception {
        Message message = new Message(ByteBuffer.wrap(new byte[] {'x'}));
        message.setHeaders(Map.of(
                "a", ByteBuffer.wrap("é\"\u0001".repeat(2_000).getBytes(UTF_8)),
                "b", malformed(2_000),
                "c\"", bytes(0xe2, 0x82),
                "d", ByteBuffer.allocate(0)));

        JsonNode headers =
                MAPPER.readTree(Rendered.text(body(message, 7, Form.AUTO))).get("headers");

        assertThat(headers.get("a").asText()).isEqualTo("é\"\u0001".repeat(2_000));
        assertThat(headers.get("b").asText()).isEqualTo("\ufffdé\t".repeat(2_000));
        assertThat(headers.get("c\"").asText()).isEqualTo("\ufffd");
        assertThat(headers.get("d").asText()).isEmpty();
        assertThat(headers.size()).isEqualTo(4);
    }

    /** Nothing bounds the headers of a message that was put over Thrift. */
    @Test
    void renderingHeadersTakesNoMemoryOfTheirSize() {
        Message message = new Message(ByteBuffer.wrap(new byte[] {'x'}));
        message.setHeaders(Map.of(
                "text", ByteBuffer.wrap("\u0007 é".repeat(1 << 20).getBytes(UTF_8)),
                "malformed", malformed(1 << 14)));
        byte[] whole = Rendered.bytes(body(message, 7, Form.AUTO), 1 << 16);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        long before = threads.getCurrentThreadAllocatedBytes();

        Body body = body(message, 7, Form.AUTO);
        long atOnce = threads.getCurrentThreadAllocatedBytes() - before;
        while (!body.isDone()) {
            body.fill(buffer.clear());
        }

        assertThat(atOnce).isLessThan(4 << 10);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(1 << 20);
        assertThat((long) whole.length)
                .isLessThanOrEqualTo(body(message, 7, Form.AUTO).mostBytes());
    }

    @Test
    void manyShortHeadersAreNotCollectedBeforeTheyAreWritten() {
        Message message = new Message(ByteBuffer.wrap(new byte[] {'x'}));
        Map<String, ByteBuffer> headers = new HashMap<>();
        for (int i = 0; i < 10_000; i++) {
            headers.put("header-" + i, ByteBuffer.wrap("v".repeat(200).getBytes(UTF_8)));
        }
        message.setHeaders(headers);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertThat(Rendered.bytes(body(message, 7, Form.AUTO), 1 << 16)).hasSizeGreaterThan(2_000_000);
        long before = threads.getCurrentThreadAllocatedBytes();

        var unused = body(message, 7, Form.AUTO);

        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                .as("an entry of a map for each of them")
                .isLessThan(10_000 * 60);
    }
}
