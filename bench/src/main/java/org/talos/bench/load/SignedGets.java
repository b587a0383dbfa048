// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.thrift.TException;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.common.auth.RequestSignature;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Signed gets of one message each from one partition: the first so many offsets, in order, over and over.
 *
 * <p>Confined: the loop's thread.
 */
public final class SignedGets implements RequestSource {
    private final RequestSigner signer;
    private final List<byte[]> bodies;
    private final List<byte[]> md5s;
    private ByteBuffer request = ByteBuffer.allocate(0);
    private int next;

    private SignedGets(RequestSigner signer, List<byte[]> bodies) {
        this.signer = signer;
        this.bodies = bodies;
        md5s = bodies.stream()
                .map(body -> RequestSignature.md5Hex(body).getBytes(StandardCharsets.US_ASCII))
                .toList();
    }

    /**
     * The gets of all partitions of a topic.
     *
     * @param host of the server, with port
     * @param offsets how many messages each partition has at least
     */
    public static List<SignedGets> fromAll(TopicDescription topic, String host, Credential credential, int offsets) {
        List<Long> all = LongStream.range(0, offsets).boxed().toList();
        return fromAll(topic, host, credential, Collections.nCopies(topic.partitions(), all));
    }

    /**
     * Like the overload with a number, with offsets that the caller chooses, over and over.
     *
     * @param offsets of each partition
     */
    public static List<SignedGets> fromAll(
            TopicDescription topic, String host, Credential credential, List<List<Long>> offsets) {
        RequestSigner signer = new RequestSigner("getMessage", "/v1/api/message", host, credential);
        List<SignedGets> gets = new ArrayList<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            List<byte[]> bodies = new ArrayList<>();
            for (long offset : offsets.get(partition)) {
                bodies.add(body(topic, partition, offset));
            }
            gets.add(new SignedGets(signer, bodies));
        }
        return gets;
    }

    private static byte[] body(TopicDescription topic, int partition, long offset) {
        GetMessageRequest get = new GetMessageRequest(
                new TopicAndPartition(topic.name(), new TopicTalosResourceName(topic.resourceName()), partition),
                offset,
                "bench-get");
        get.setMaxGetMessageNumber(1);
        get.setMaxGetMessageBytes(1); // the message comes whole all the same, and no room is kept for more
        try {
            List<ByteBuffer> parts = Envelope.call(ThriftEncoding.COMPACT, "getMessage", 1, get);
            ByteBuffer whole = ByteBuffer.allocate(
                    parts.stream().mapToInt(ByteBuffer::remaining).sum());
            parts.forEach(whole::put);
            return whole.array();
        } catch (TException e) {
            throw new IllegalStateException("a get that can't be written", e);
        }
    }

    @Override
    public ByteBuffer next() {
        signer.turnTo(System.currentTimeMillis() / 1_000);
        byte[] body = bodies.get(next);
        byte[] md5 = md5s.get(next);
        next = (next + 1) % bodies.size();
        byte[] head = (signer.head() + body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        if (request.capacity() < head.length + body.length) {
            request = ByteBuffer.allocateDirect(2 * (head.length + body.length));
        }
        request.clear().put(head).put(body).flip();
        request.put(signer.md5At(), md5);
        request.put(signer.signatureAt(), signer.sign(md5));
        return request;
    }
}
