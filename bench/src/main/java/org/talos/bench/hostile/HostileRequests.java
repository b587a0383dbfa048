// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.talos.bench.hostile.Victim.OwnTopic;
import org.talos.bench.hostile.wire.Http2;
import org.talos.bench.load.RequestSigner;
import org.talos.common.auth.RequestSignature;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/** Makes the requests of an attacker, all of them within the protocol and signed. Confined: the attacker's thread. */
final class HostileRequests {
    private static final HexFormat HEX = HexFormat.of();
    private static final String PATH = "/v1/api/message";
    private static final int BINARY_FIELD = 8; // of the compact protocol, its id follows
    private static final int UNKNOWN_FIELD = 1_000;
    private static final int DIGEST_BYTES = 16;

    private final Victim victim;
    private final Tally tally;
    private final byte[] page;
    private final OwnTopic topic;
    private final SplittableRandom random;
    private final String basic;
    private final Map<String, RequestSigner> signers = new HashMap<>();

    /**
     * Makes requests to the attacker's first topic.
     *
     * @param tally counts what becomes of them
     * @param page the bytes of the largest page that needs no key; not copied
     */
    HostileRequests(Victim victim, Tally tally, byte[] page, long seed) {
        this(victim, tally, page, victim.topic(), new SplittableRandom(seed));
    }

    private HostileRequests(Victim victim, Tally tally, byte[] page, OwnTopic topic, SplittableRandom random) {
        this.victim = victim;
        this.tally = tally;
        this.page = page;
        this.topic = topic;
        this.random = random;
        String pair = topic.keyId() + ":" + topic.secret();
        basic = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns requests of the owner of the topic with large messages. */
    HostileRequests large() {
        return new HostileRequests(victim, tally, page, victim.large(), random);
    }

    Victim victim() {
        return victim;
    }

    Tally tally() {
        return tally;
    }

    /**
     * Connects an attacker that sends requests and reads their answers.
     *
     * @param atOnce requests that are sent before their answers are read
     * @param requests whole ones
     */
    Attacker loop(int atOnce, Supplier<byte[]> requests) throws IOException {
        return new RequestLoop(victim, tally, requests, atOnce);
    }

    /** Returns an attacker that holds connections. */
    Attacker held(HeldConnections.Plan plan) {
        return new HeldConnections(victim, tally, random, plan);
    }

    /** Returns gets by the owner on streams of one connection. */
    byte[] getAll(Http2 connection, int count, Supplier<String> path) {
        for (int i = 0; i < count; i++) {
            var unused = connection.get(path.get(), "authorization", basic);
        }
        return connection.take();
    }

    /** Returns the bytes of the largest page that needs no key; they must not be changed. */
    byte[] page() {
        return page;
    }

    SplittableRandom random() {
        return random;
    }

    int partition() {
        return random.nextInt(topic.partitions());
    }

    /** The path of a random partition, over REST. */
    String partitionPath() {
        return topicPath() + "/partitions/" + partition();
    }

    String topicPath() {
        return "/v1/topics/" + topic.name();
    }

    byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** A request over REST without a body. */
    byte[] get(String target) {
        return head("GET", target, "");
    }

    /** Returns a request over REST with a body of JSON. */
    byte[] post(String target, String json) {
        return post(target, "application/json", json.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a request over REST with a body. */
    byte[] post(String target, String type, byte[] body) {
        return joined(
                head("POST", target, "Content-Type: " + type + "\r\nContent-Length: " + body.length + "\r\n"), body);
    }

    /** The head of a request over REST. */
    byte[] head(String method, String target, String headers) {
        String head = method + " " + target + " HTTP/1.1\r\nHost: " + victim.authority() + "\r\nAuthorization: " + basic
                + "\r\n" + headers + "\r\n";
        return head.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A put of these blocks to a random partition. */
    byte[] put(List<MessageBlock> blocks, String sequenceId) {
        return signed("putMessage", RequestSigner.encoded("putMessage", putRequest(blocks, sequenceId)));
    }

    /** Returns a put of one block to the given partition. */
    byte[] putTo(int partition, MessageBlock block) {
        PutMessageRequest put = putRequest(List.of(block), "");
        put.getTopicAndPartition().setPartitionId(partition);
        return signed("putMessage", RequestSigner.encoded("putMessage", put));
    }

    /** A put that has to be answered by a time which is hardly ahead. */
    byte[] putBy(List<MessageBlock> blocks, String sequenceId, long timestamp) {
        PutMessageRequest put = putRequest(blocks, sequenceId);
        put.setTimeoutTimestamp(timestamp);
        return signed("putMessage", RequestSigner.encoded("putMessage", put));
    }

    /** A put with this number of bytes in a field that no contract knows. */
    byte[] putWithUnknownField(List<MessageBlock> blocks, String sequenceId, int bytes) {
        byte[] put = RequestSigner.encoded("putMessage", putRequest(blocks, sequenceId));
        int end = put.length - 2; // before the ends of the request and of the arguments
        ByteArrayOutputStream body = new ByteArrayOutputStream(put.length + bytes + DIGEST_BYTES);
        body.write(put, 0, end);
        body.write(BINARY_FIELD);
        varint(body, UNKNOWN_FIELD << 1);
        varint(body, bytes);
        body.writeBytes(randomBytes(bytes));
        body.write(put, end, 2);
        return signed("putMessage", body.toByteArray());
    }

    private static void varint(ByteArrayOutputStream out, int value) {
        int rest = value;
        while (rest > 0x7f) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }

    private PutMessageRequest putRequest(List<MessageBlock> blocks, String sequenceId) {
        int messages = blocks.stream().mapToInt(MessageBlock::getMessageNumber).sum();
        return new PutMessageRequest(anyPartition(), blocks, messages, sequenceId);
    }

    /** A get of much, from the oldest message. */
    byte[] getMessages(int bytes, long timestamp) {
        GetMessageRequest get = new GetMessageRequest(anyPartition(), -1, "hostile");
        get.setMaxGetMessageNumber(20_000);
        get.setMaxGetMessageBytes(bytes);
        if (timestamp > 0) {
            get.setTimeoutTimestamp(timestamp);
        }
        return signed("getMessage", RequestSigner.encoded("getMessage", get));
    }

    private TopicAndPartition anyPartition() {
        return new TopicAndPartition(topic.name(), new TopicTalosResourceName(topic.resourceName()), partition());
    }

    /** A block of equal messages. */
    MessageBlock block(int messages, int bytes, MessageCompressionType type) {
        byte[] each = type == MessageCompressionType.NONE ? randomBytes(bytes) : new byte[bytes];
        List<Message> all = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            all.add(new Message(ByteBuffer.wrap(each)));
        }
        return MessageBlocks.write(all, type, System.currentTimeMillis());
    }

    /** Returns a block of one message. */
    static MessageBlock block(byte[] message, MessageCompressionType type) {
        return MessageBlocks.write(List.of(new Message(ByteBuffer.wrap(message))), type, System.currentTimeMillis());
    }

    private byte[] signed(String method, byte[] body) {
        byte[] md5 = RequestSignature.md5(ByteBuffer.wrap(body));
        return joined(signedHead(method, md5, "Content-Length: " + body.length), body);
    }

    /**
     * The head of a put whose signature is good; whether its body is the signed one shows when it has come.
     *
     * @param framing the header that says how long the body is
     */
    byte[] headOfPut(String framing) {
        return signedHead("putMessage", randomBytes(DIGEST_BYTES), framing);
    }

    private byte[] signedHead(String method, byte[] md5, String framing) {
        RequestSigner signer = signers.computeIfAbsent(
                method, each -> new RequestSigner(each, PATH, victim.authority(), topic.credential()));
        signer.turnTo(System.currentTimeMillis() / 1_000);
        byte[] hex = HEX.formatHex(md5).getBytes(StandardCharsets.US_ASCII);
        String head = signer.head();
        byte[] bytes = (head.substring(0, head.lastIndexOf("\r\n") + 2) + framing + "\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        byte[] signature = signer.sign(hex);
        System.arraycopy(hex, 0, bytes, signer.md5At(), hex.length);
        System.arraycopy(signature, 0, bytes, signer.signatureAt(), signature.length);
        return bytes;
    }

    static byte[] joined(byte[] head, byte[] body) {
        byte[] whole = new byte[head.length + body.length];
        System.arraycopy(head, 0, whole, 0, head.length);
        System.arraycopy(body, 0, whole, head.length, body.length);
        return whole;
    }
}
