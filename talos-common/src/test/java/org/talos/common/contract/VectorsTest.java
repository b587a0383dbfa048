// SPDX-License-Identifier: Apache-2.0
package org.talos.common.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocol;
import org.junit.jupiter.api.Test;
import org.talos.common.auth.Authorization;
import org.talos.common.auth.RequestSignature;
import org.talos.common.message.MessageBlocks;
import org.talos.common.name.Partitioner;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.EnvelopeHead;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetScheduleInfoRequest;
import org.talos.thrift.GetScheduleInfoResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.MessageType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.RenewResponse;
import org.talos.thrift.UnlockPartitionRequest;

/** The contract's vectors: what both public SDKs send and expect, byte for byte. */
class VectorsTest {
    private static final long MAX_BYTES = 1 << 20;
    private static final JsonNode VECTORS = vectors();

    private static JsonNode vectors() {
        try (var in = VectorsTest.class.getResourceAsStream("/protocol/vectors.json")) {
            return new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] hex(JsonNode node) {
        return HexFormat.of().parseHex(node.asText());
    }

    @Test
    void signatures() {
        for (JsonNode vector : VECTORS.get("signatures")) {
            byte[] body = hex(vector.get("bodyHex"));
            Map<String, List<String>> headers = Map.of(
                    "Content-Type", List.of(vector.get("contentType").asText()),
                    "X-Xiaomi-Content-MD5", List.of(vector.get("md5Header").asText()),
                    "x-xiaomi-date", List.of(vector.get("date").asText()),
                    "X-Xiaomi-Timestamp", List.of(vector.get("timestamp").asText()),
                    "Attached-Info", List.of("dev-42"));
            String text = RequestSignature.stringToSign(
                    vector.get("method").asText(),
                    vector.get("path").asText(),
                    vector.get("query").asText(),
                    headers);
            byte[] hmac = RequestSignature.hmac(vector.get("secret").asText(), text);

            assertThat(text).isEqualTo(vector.get("stringToSign").asText());
            assertThat(text.getBytes(StandardCharsets.UTF_8)).isEqualTo(hex(vector.get("stringToSignHex")));
            assertThat(hmac).isEqualTo(hex(vector.get("hmacSha1Hex")));
            assertThat(RequestSignature.md5Hex(body))
                    .isEqualTo(vector.get("md5Hex").asText());
            assertThat(RequestSignature.md5Matches(vector.get("md5Header").asText(), RequestSignature.md5(body)))
                    .isTrue();
            Authorization header =
                    Authorization.parse(vector.get("authorization").asText()).orElseThrow();
            assertThat(header.keyId()).isEqualTo(vector.get("keyId").asText());
            assertThat(RequestSignature.matches(hmac, header.signature())).isTrue();
            assertThat(new Authorization(
                                    Authorization.GALAXY_V3,
                                    header.keyId(),
                                    RequestSignature.sign(vector.get("secret").asText(), text))
                            .header())
                    .isEqualTo(vector.get("authorization").asText());
        }
        assertThat(VECTORS.get("signatures")).hasSize(2);
    }

    private static List<Message> inputMessages() {
        List<Message> messages = new ArrayList<>();
        for (JsonNode input : VECTORS.get("messages").get("input")) {
            messages.add(message(input));
        }
        return messages;
    }

    private static Message message(JsonNode input) {
        Message message =
                new Message(ByteBuffer.wrap(input.get("messageUtf8").asText().getBytes(StandardCharsets.UTF_8)));
        message.setCreateTimestamp(input.get("createTimestamp").asLong());
        message.setMessageType(MessageType.findByValue(input.get("messageType").asInt()));
        if (input.has("partitionKey")) {
            message.setPartitionKey(input.get("partitionKey").asText());
        }
        if (input.has("sequenceNumber")) {
            message.setSequenceNumber(input.get("sequenceNumber").asText());
        }
        if (input.has("tag")) {
            message.setTag(input.get("tag").asText());
        }
        return message;
    }

    @Test
    void messagesAreWrittenAsBothSdksWriteThem() throws Exception {
        JsonNode vector = VECTORS.get("messages");
        MessageBlock plain = MessageBlocks.write(inputMessages(), MessageCompressionType.NONE, 1);
        MessageBlock snappy = MessageBlocks.write(inputMessages(), MessageCompressionType.SNAPPY, 1);
        MessageBlock tagged = MessageBlocks.write(
                List.of(message(vector.get("taggedV3").get("message"))), MessageCompressionType.NONE, 1);

        assertThat(plain.getMessageBlock())
                .isEqualTo(hex(vector.get("uncompressed").get("V3")));
        assertThat(plain.getCreateTimestamp())
                .isEqualTo(vector.get("blockCreateTimestamp").asLong());
        assertThat(plain.getMessageNumber()).isEqualTo(3);
        // What lies between framing and contents is the compressor's choice, and differs between its versions.
        byte[] framing = Arrays.copyOf(hex(vector.get("compressedV3").get(0).get("hex")), 16);
        assertThat(Arrays.copyOf(snappy.getMessageBlock(), 16)).isEqualTo(framing);
        assertThat(MessageBlocks.read(snappy, MAX_BYTES))
                .extracting(MessageAndOffset::getMessage)
                .isEqualTo(inputMessages());
        assertThat(tagged.getMessageBlock())
                .isEqualTo(hex(vector.get("taggedV3").get("hex")));
    }

    @Test
    void messagesOfEveryVersionAndCompressionAreRead() throws Exception {
        JsonNode vector = VECTORS.get("messages");
        for (Map.Entry<String, JsonNode> version : vector.get("uncompressed").properties()) {
            List<MessageAndOffset> read = read(MessageCompressionType.NONE, version.getValue());
            assertThat(read).hasSize(3);
            assertThat(read.get(1).getMessage().getSequenceNumber()).isEqualTo("seq-1");
            assertThat(text(read.get(2))).isEqualTo("message-2");
            if (!version.getKey().equals("V1")) {
                assertThat(read.get(1).getMessage().getCreateTimestamp()).isEqualTo(1_700_000_000_010L);
            }
        }
        for (JsonNode compressed : vector.get("compressedV3")) {
            MessageCompressionType type =
                    MessageCompressionType.valueOf(compressed.get("type").asText());
            List<MessageAndOffset> read = read(type, compressed.get("hex"));
            assertThat(read).extracting(MessageAndOffset::getMessage).isEqualTo(withAppendTime(inputMessages()));
            assertThat(read).extracting(MessageAndOffset::getMessageOffset).containsExactly(7L, 8L, 9L);
        }
        assertThat(vector.get("compressedV3")).hasSize(5);
    }

    private static List<Message> withAppendTime(List<Message> messages) {
        messages.forEach(message -> message.setAppendTimestamp(5));
        return messages;
    }

    private static List<MessageAndOffset> read(MessageCompressionType type, JsonNode bytes) throws Exception {
        MessageBlock block = new MessageBlock(7, 3, type, ByteBuffer.wrap(hex(bytes)));
        block.setAppendTimestamp(5);
        MessageBlocks.checkClaims(block);
        return MessageBlocks.read(block, MAX_BYTES);
    }

    private static String text(MessageAndOffset message) {
        return new String(message.getMessage().getMessage(), StandardCharsets.UTF_8);
    }

    @Test
    void kafkaBatchIsRead() throws Exception {
        JsonNode vector = VECTORS.get("kafka");
        MessageBlock block = new MessageBlock(
                vector.get("startMessageOffset").asLong(),
                2,
                MessageCompressionType.NONE,
                ByteBuffer.wrap(hex(vector.get("hex"))));
        block.setAppendTimestamp(vector.get("appendTimestamp").asLong());

        MessageBlocks.checkClaims(block);
        List<MessageAndOffset> read = MessageBlocks.read(block, MAX_BYTES);

        for (int i = 0; i < read.size(); i++) {
            JsonNode expected = vector.get("expected").get(i);
            Message message = read.get(i).getMessage();
            assertThat(read.get(i).getMessageOffset())
                    .isEqualTo(expected.get("messageOffset").asLong());
            assertThat(message.getPartitionKey())
                    .isEqualTo(expected.get("partitionKey").asText());
            assertThat(message.getSequenceNumber())
                    .isEqualTo(expected.get("sequenceNumber").asText());
            assertThat(message.getCreateTimestamp())
                    .isEqualTo(expected.get("createTimestamp").asLong());
            assertThat(message.getAppendTimestamp())
                    .isEqualTo(expected.get("appendTimestamp").asLong());
            assertThat(text(read.get(i))).isEqualTo(expected.get("messageUtf8").asText());
        }
        assertThat(read).hasSize(vector.get("expected").size());
    }

    @Test
    void callsAndAnswersAreByteForByteTheSdks() throws Exception {
        call(0, new PutMessageRequest(), new PutMessageResponse());
        call(1, new GetMessageRequest(), new GetMessageResponse());
        call(2, new GetMessageRequest(), new GetMessageResponse());
        call(3, new GetScheduleInfoRequest(), new GetScheduleInfoResponse());
        call(4, new UnlockPartitionRequest(), null);
        call(5, new RenewRequest(), new RenewResponse());
        call(6, new RenewRequest(), null);
        assertThat(VECTORS.get("calls")).hasSize(7);
    }

    private static void call(int index, TBase<?, ?> request, TBase<?, ?> result) throws TException {
        JsonNode vector = VECTORS.get("calls").get(index);
        byte[] sent = hex(vector.get("requestHex"));
        TProtocol in = Wire.reader(ThriftEncoding.COMPACT, sent, 0, sent.length);
        EnvelopeHead head = Envelope.readHead(in);
        Envelope.readArguments(in, request);

        assertThat(bytes(Envelope.call(ThriftEncoding.COMPACT, head.method(), head.sequence(), request)))
                .as(vector.get("name").asText())
                .isEqualTo(sent);

        byte[] answered = hex(vector.get("replyHex"));
        List<ByteBuffer> again;
        try {
            Optional<GalaxyTalosException> error = Envelope.readReply(
                    Wire.reader(ThriftEncoding.COMPACT, answered, 0, answered.length),
                    head.method(),
                    head.sequence(),
                    result);
            again = Envelope.reply(ThriftEncoding.COMPACT, head, error.isPresent() ? null : result, error.orElse(null));
        } catch (TApplicationException e) {
            again = Envelope.failure(ThriftEncoding.COMPACT, head, e.getType(), e.getMessage());
        }
        assertThat(bytes(again)).as(vector.get("name").asText()).isEqualTo(answered);
    }

    private static byte[] bytes(List<ByteBuffer> parts) {
        ByteBuffer all = ByteBuffer.allocate(
                parts.stream().mapToInt(ByteBuffer::remaining).sum());
        parts.forEach(part -> all.put(part.duplicate()));
        return all.array();
    }

    @Test
    void keysGoToThePartitionsOfTheJavaSdk() {
        for (JsonNode vector : VECTORS.get("partitioner")) {
            assertThat(Partitioner.SDK.partition(
                            vector.get("key").asText(), vector.get("partitions").asInt()))
                    .as(vector.toString())
                    .isEqualTo(vector.get("java").asInt());
        }
        assertThat(VECTORS.get("partitioner")).hasSizeGreaterThan(20);
    }
}
