// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;

/** Messages as JSON, which is written from their bytes without a tree. */
class MessageJsonTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static JsonNode written(ByteBuffer bytes, Form form) throws Exception {
        return MAPPER.readTree(
                Json.write(to -> MessageJson.write(to, new MessageAndOffset(new Message(bytes), 7), form)));
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

    @Test
    void piecesOfWhatIsLargeAreItsBytesInOrder() {
        Message message = new Message(ByteBuffer.wrap("0123456789".repeat(3_000).getBytes(UTF_8)));
        Json.Content content = to -> {
            for (int i = 0; i < 3; i++) {
                MessageJson.write(to, new MessageAndOffset(message, i), Form.AUTO);
                to.writeRaw('\n');
            }
        };
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (ByteBuffer piece : Json.pieces(content)) {
            joined.write(piece.array(), piece.arrayOffset(), piece.remaining());
        }

        assertThat(joined.toByteArray()).isEqualTo(Json.write(content));
        assertThat(joined.toString(UTF_8).lines()).hasSize(3).allMatch(line -> line.startsWith("{\"offset\":"));
    }
}
