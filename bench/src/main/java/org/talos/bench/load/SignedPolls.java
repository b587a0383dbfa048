// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.RequestSignature;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Signed gets from one partition, which differ in their offset alone: what stands before and behind it is written once.
 *
 * <p>Confined: the loop's thread.
 */
final class SignedPolls implements Polls.PollRequests {
    private static final int MOST_VARINT_BYTES = 10;
    private static final HexFormat HEX = HexFormat.of();

    private final RequestSigner signer;
    private final byte[] body; // with room for the longest offset
    private final int offsetAt;
    private final byte[] tail;
    private ByteBuffer request = ByteBuffer.allocate(0);
    private byte[] head = {};
    private long second = -1;
    private int headLength = -1;
    private int md5At;
    private int signatureAt;

    SignedPolls(RequestSigner signer, TopicDescription topic, int partition, int maxBytes) {
        this.signer = signer;
        byte[] zero = encoded(topic, partition, 0, maxBytes);
        offsetAt = Arrays.mismatch(zero, encoded(topic, partition, 1, maxBytes));
        tail = Arrays.copyOfRange(zero, offsetAt + 1, zero.length);
        body = Arrays.copyOf(zero, zero.length - 1 + MOST_VARINT_BYTES);
    }

    private static byte[] encoded(TopicDescription topic, int partition, long offset, int maxBytes) {
        GetMessageRequest get = new GetMessageRequest(
                new TopicAndPartition(topic.name(), new TopicTalosResourceName(topic.resourceName()), partition),
                offset,
                "bench-get");
        get.setMaxGetMessageNumber(Polls.MAX_MESSAGES);
        get.setMaxGetMessageBytes(maxBytes);
        return RequestSigner.encoded("getMessage", get);
    }

    @Override
    public ByteBuffer from(long offset) {
        signer.turnTo(System.currentTimeMillis() / 1_000);
        int length = withOffset(offset);
        if (second != signer.second() || headLength != length) {
            layOut(length);
        }
        byte[] md5 = HEX.formatHex(RequestSignature.md5(ByteBuffer.wrap(body, 0, length)))
                .getBytes(StandardCharsets.US_ASCII);
        request.clear();
        request.put(head.length, body, 0, length).limit(head.length + length);
        request.put(md5At, md5);
        request.put(signatureAt, signer.sign(md5));
        return request;
    }

    /** Writes the offset as the compact protocol has it, and what follows it; returns the body's length. */
    private int withOffset(long offset) {
        long rest = (offset << 1) ^ (offset >> 63);
        int at = offsetAt;
        while ((rest & ~0x7fL) != 0) {
            body[at++] = (byte) ((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        body[at++] = (byte) rest;
        System.arraycopy(tail, 0, body, at, tail.length);
        return at + tail.length;
    }

    /** Writes the head of a new second, or of a body of another length. */
    private void layOut(int length) {
        second = signer.second();
        headLength = length;
        head = (signer.head() + length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        md5At = signer.md5At();
        signatureAt = signer.signatureAt();
        if (request.capacity() < head.length + body.length) {
            request = ByteBuffer.allocateDirect(2 * (head.length + body.length));
        }
        request.clear().put(head);
    }
}
