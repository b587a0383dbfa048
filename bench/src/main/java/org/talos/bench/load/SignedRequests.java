// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.thrift.TException;
import org.talos.client.TalosEndpoint;
import org.talos.client.TopicDescription;
import org.talos.common.auth.Authorization;
import org.talos.common.auth.RequestSignature;
import org.talos.common.message.MessageBlocks;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.thrift.Message;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/** Whole HTTP requests, signed, made before the clock runs. Immutable. */
public final class SignedRequests {
    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final String PATH = "/v1/api/message";
    private static final long DEADLINE_MILLIS = 10_000;

    private SignedRequests() {}

    /** A put of one uncompressed message of so many random bytes. */
    public static byte[] put(
            TalosEndpoint endpoint, TopicDescription topic, int partition, int bytes, SplittableRandom random)
            throws TException {
        long now = System.currentTimeMillis();
        byte[] content = new byte[bytes];
        random.nextBytes(content);
        PutMessageRequest request = new PutMessageRequest(
                new TopicAndPartition(topic.name(), new TopicTalosResourceName(topic.resourceName()), partition),
                List.of(MessageBlocks.write(
                        List.of(new Message(ByteBuffer.wrap(content))), MessageCompressionType.NONE, now)),
                1,
                "bench-" + random.nextLong() + "#1");
        request.setTimeoutTimestamp(now + DEADLINE_MILLIS);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (ByteBuffer part : Envelope.call(ThriftEncoding.COMPACT, "putMessage", 1, request)) {
            body.write(part.array(), part.arrayOffset() + part.position(), part.remaining());
        }
        return signed(endpoint, body.toByteArray(), Instant.ofEpochMilli(now));
    }

    private static byte[] signed(TalosEndpoint endpoint, byte[] body, Instant now) {
        Map<String, List<String>> headers = Map.of(
                "Content-Type",
                List.of(ThriftEncoding.COMPACT.contentType()),
                RequestSignature.CONTENT_MD5,
                List.of(RequestSignature.md5Hex(body)),
                RequestSignature.DATE,
                List.of(HTTP_DATE.format(now)),
                RequestSignature.TIMESTAMP,
                List.of(Long.toString(now.getEpochSecond())));
        String signature =
                RequestSignature.sign(endpoint.secretKey(), RequestSignature.stringToSign("POST", PATH, null, headers));
        URI uri = endpoint.uri();
        StringBuilder head = new StringBuilder("POST " + PATH + "?id=0badcafe&type=putMessage HTTP/1.1\r\n")
                .append("Host: ")
                .append(uri.getHost())
                .append(':')
                .append(uri.getPort())
                .append("\r\n")
                .append("User-Agent: Talos-Bench/0.1.0\r\n")
                .append("Content-Length: ")
                .append(body.length)
                .append("\r\n")
                .append("Authorization: ")
                .append(new Authorization(Authorization.GALAXY_V3, endpoint.accessKey(), signature).header())
                .append("\r\n");
        headers.forEach((name, values) ->
                head.append(name).append(": ").append(values.get(0)).append("\r\n"));
        byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        return ByteBuffer.allocate(start.length + body.length)
                .put(start)
                .put(body)
                .array();
    }
}
