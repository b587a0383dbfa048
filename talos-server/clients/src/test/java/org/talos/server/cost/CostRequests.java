// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cost;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.thrift.TBase;
import org.talos.client.TalosEndpoint;
import org.talos.common.auth.RequestSignature;
import org.talos.common.message.MessageBlocks;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.testing.TestServer;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.CreateTopicResponse;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicTalosResourceName;

/**
 * The requests whose cost is measured, on one connection to a server with a topic of its own: each sends and reads its
 * answer. Confined: the test.
 */
final class CostRequests implements AutoCloseable {
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 8;
    private static final int STORED = 0x82;
    private static final int OPENED = 0x81;
    private static final int CREDIT = 0x84;

    private final TalosEndpoint endpoint;
    private final PlainClient client;
    private final InstantSource clock = SystemTime.wallClock();
    private final Map<String, String> also = new LinkedHashMap<>();
    private String resource = "";
    private long sent;

    /** @param data where the server has left its administrator's key */
    CostRequests(int port, Path data) throws Exception {
        endpoint = TestServer.endpoint(URI.create("http://127.0.0.1:" + port), data);
        client = new PlainClient(port);
        TopicAttribute attribute = new TopicAttribute();
        attribute.setPartitionNumber(PARTITIONS);
        CreateTopicResponse created = new CreateTopicResponse();
        answer("/v1/api/topic", "createTopic", new CreateTopicRequest(TOPIC, attribute), created);
        resource = created.getTopicInfo().getTopicTalosResourceName().getTopicTalosResourceName();
    }

    /** From now on each request has this header too. */
    void header(String name, String value) {
        also.put(name, value);
    }

    /** A message that cannot be compressed; the same for the same size. */
    private static byte[] message(int size) {
        byte[] message = new byte[size];
        new SplittableRandom(size).nextBytes(message);
        return message;
    }

    private MessageBlock block(int size) {
        Message message = new Message(ByteBuffer.wrap(message(size)));
        message.setCreateTimestamp(clock.millis());
        return MessageBlocks.write(List.of(message), MessageCompressionType.NONE, clock.millis());
    }

    /** A signed put, as the SDKs send it, that its server stores or hands to another one. */
    void put(int partition, int size, boolean forwarded) throws Exception {
        PutMessageResponse stored = new PutMessageResponse();
        String id = String.format(Locale.ROOT, "cost-%010d", sent++);
        PutMessageRequest put = new PutMessageRequest(place(partition), List.of(block(size)), 1, id);
        answer("/v1/api/message", "putMessage", put, stored);
        assertThat(stored.isIsTransfer()).isEqualTo(forwarded);
    }

    /** A signed get of the first message. */
    void get(int partition) throws Exception {
        GetMessageRequest get = new GetMessageRequest(place(partition), 0, "cost-get");
        get.setMaxGetMessageNumber(1);
        GetMessageResponse got = new GetMessageResponse();
        answer("/v1/api/message", "getMessage", get, got);
        assertThat(got.getMessageNumber()).isPositive();
    }

    private TopicAndPartition place(int partition) {
        return new TopicAndPartition(TOPIC, new TopicTalosResourceName(resource), partition);
    }

    private void answer(String path, String method, TBase<?, ?> request, TBase<?, ?> result) throws Exception {
        byte[] answer = client.exchange(signed(path, method, body(method, request)));
        assertThat(Envelope.readReply(Wire.reader(ThriftEncoding.COMPACT, answer, 0, answer.length), method, 1, result))
                .isEmpty();
    }

    private static byte[] body(String method, TBase<?, ?> request) throws Exception {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        for (ByteBuffer part : Envelope.call(ThriftEncoding.COMPACT, method, 1, request)) {
            byte[] bytes = new byte[part.remaining()];
            part.get(bytes);
            whole.writeBytes(bytes);
        }
        return whole.toByteArray();
    }

    private byte[] signed(String path, String method, byte[] body) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Host", endpoint.uri().getAuthority());
        headers.put("User-Agent", "Java-SDK/1.0.0 Java/1.8");
        headers.put("Content-Type", ThriftEncoding.COMPACT.contentType());
        headers.put(RequestSignature.TIMESTAMP, Long.toString(clock.millis() / 1_000));
        headers.put(RequestSignature.DATE, "Tue, 14 Nov 2023 22:13:20 GMT");
        headers.put(RequestSignature.CONTENT_MD5, RequestSignature.md5Hex(body));
        Map<String, List<String>> toSign = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.forEach((name, value) -> toSign.put(name, List.of(value)));
        String signature =
                RequestSignature.sign(endpoint.secretKey(), RequestSignature.stringToSign("POST", path, null, toSign));
        headers.put(RequestSignature.AUTHORIZATION, "Galaxy-V3 " + endpoint.accessKey() + ":" + signature);
        return request("POST " + path + "?id=00000000&type=" + method, headers, body);
    }

    private byte[] request(String line, Map<String, String> headers, byte[] body) {
        StringBuilder head = new StringBuilder(line).append(" HTTP/1.1\r\n");
        headers.putAll(also);
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        if (body.length > 0) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        byte[] bytes = head.append("\r\n").toString().getBytes(ISO_8859_1);
        return ByteBuffer.allocate(bytes.length + body.length)
                .put(bytes)
                .put(body)
                .array();
    }

    /** A put of raw bytes over REST. */
    void restPut(int partition, int size) throws IOException {
        Map<String, String> headers = basic();
        headers.put("Content-Type", "application/octet-stream");
        client.exchange(request("POST " + messages(partition), headers, message(size)));
    }

    /** A put over REST: a batch, or lines. */
    void restPut(int partition, String type, String body) throws IOException {
        Map<String, String> headers = basic();
        headers.put("Content-Type", type);
        client.exchange(request("POST " + messages(partition), headers, body.getBytes(UTF_8)));
    }

    /** All messages over REST, as JSON. */
    String restMessages(int partition) throws IOException {
        return new String(
                client.exchange(request("GET " + messages(partition) + "?from=0", basic(), new byte[0])), UTF_8);
    }

    /** A get of the first message over REST. */
    void restGet(int partition) throws IOException {
        byte[] answer =
                client.exchange(request("GET " + messages(partition) + "?from=0&maxMessages=1", basic(), new byte[0]));
        assertThat(new String(answer, UTF_8)).contains("\"offset\"");
    }

    private static String messages(int partition) {
        return "/v1/topics/" + TOPIC + "/partitions/" + partition + "/messages";
    }

    private Map<String, String> basic() {
        Map<String, String> headers = new LinkedHashMap<>();
        String pair = endpoint.accessKey() + ":" + endpoint.secretKey();
        headers.put("Host", endpoint.uri().getAuthority());
        headers.put("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8)));
        return headers;
    }

    /** Makes the connection a stream, on which there are stream puts from now on, and nothing else. */
    void openStream() throws IOException {
        Map<String, String> headers = basic();
        headers.put("Upgrade", "websocket");
        headers.put("Connection", "Upgrade");
        headers.put("Sec-WebSocket-Version", "13");
        headers.put("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==");
        headers.put("Sec-WebSocket-Protocol", "talos.v1");
        client.upgrade(request("GET /v1/topics/" + TOPIC + "/stream?producer=cost", headers, new byte[0]));
        assertThat(client.message().get() & 0xff).isEqualTo(OPENED);
    }

    /** An ordered put over the stream. */
    void streamPut(int partition, int size) throws IOException {
        ByteBuffer block = block(size).bufferForMessageBlock();
        client.frame(ByteBuffer.allocate(32 + block.remaining())
                .putInt(0x01010000) // PUT, ordered, not compressed
                .putInt(partition)
                .putLong(sent++)
                .putInt(1)
                .putLong(clock.millis())
                .putInt(block.remaining())
                .put(block)
                .array());
        // Both, or the server would still be busy with one when the next put comes, and do other things each time.
        assertThat(client.message().get() & 0xff).isEqualTo(STORED);
        assertThat(client.message().get() & 0xff).isEqualTo(CREDIT);
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
