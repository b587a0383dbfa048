// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Requests of signed puts, of one message each, to one partition. All have the same message; the sequence id, which
 * stands behind it in the body, makes each another put, so MD5 continues from where the message ends.
 *
 * <p>Confined: the loop's thread.
 */
public final class SignedPuts implements RequestSource {
    private static final int COUNTER_DIGITS = 10;
    private static final String NO_COUNTER = "0".repeat(COUNTER_DIGITS);
    private static final HexFormat HEX = HexFormat.of();

    private final RequestSigner signer;
    private final MessageBlock block;
    private final byte[] body;
    private final byte[] tail;
    private final int counterAt;
    private final MessageDigest start;
    private ByteBuffer request = ByteBuffer.allocate(0);
    private int bodyAt;
    private int md5At;
    private int signatureAt;
    private long second = -1;
    private long sent;

    private SignedPuts(RequestSigner signer, MessageBlock block, byte[] body) {
        this.signer = signer;
        this.block = block;
        this.body = body;
        counterAt = new String(body, StandardCharsets.ISO_8859_1).lastIndexOf("#" + NO_COUNTER) + 1;
        tail = Arrays.copyOfRange(body, counterAt, body.length);
        try {
            start = MessageDigest.getInstance("MD5");
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has MD5", e);
        }
        start.update(body, 0, counterAt);
    }

    /**
     * The puts of all partitions of a topic.
     *
     * @param host of the server, with port
     * @param size of the message in bytes, which cannot be compressed
     */
    public static List<SignedPuts> toAll(
            TopicDescription topic, String host, Credential credential, int size, long seed) {
        return toAll(topic, host, credential, seed, random -> {
            byte[] message = new byte[size];
            random.nextBytes(message);
            return MessageBlocks.write(
                    List.of(new Message(ByteBuffer.wrap(message))),
                    MessageCompressionType.NONE,
                    System.currentTimeMillis());
        });
    }

    /**
     * Like the overload with a message size, with blocks made by the caller.
     *
     * @param block makes the block of a partition
     */
    public static List<SignedPuts> toAll(
            TopicDescription topic,
            String host,
            Credential credential,
            long seed,
            Function<SplittableRandom, MessageBlock> block) {
        RequestSigner signer = new RequestSigner("putMessage", "/v1/api/message", host, credential);
        List<SignedPuts> puts = new ArrayList<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            SplittableRandom random = new SplittableRandom(seed + partition);
            MessageBlock each = block.apply(random);
            puts.add(new SignedPuts(signer, each, body(topic, partition, each, random)));
        }
        return puts;
    }

    private static byte[] body(TopicDescription topic, int partition, MessageBlock block, SplittableRandom random) {
        String id = "bench-" + Long.toHexString(random.nextLong()) + "-" + System.currentTimeMillis() + "#";
        PutMessageRequest put = new PutMessageRequest(
                new TopicAndPartition(topic.name(), new TopicTalosResourceName(topic.resourceName()), partition),
                List.of(block),
                block.getMessageNumber(),
                id + NO_COUNTER);
        return RequestSigner.encoded("putMessage", put);
    }

    /** Returns the block that each of these puts stores, as a get answers it. */
    public ByteBuffer block() {
        return block.bufferForMessageBlock().asReadOnlyBuffer();
    }

    @Override
    public ByteBuffer next() {
        signer.turnTo(System.currentTimeMillis() / 1_000);
        if (second != signer.second()) {
            layOut();
        }
        long number = ++sent;
        for (int i = COUNTER_DIGITS - 1; i >= 0; i--) {
            tail[i] = (byte) ('0' + number % 10);
            number /= 10;
        }
        byte[] md5 = HEX.formatHex(md5()).getBytes(StandardCharsets.US_ASCII);
        request.put(bodyAt + counterAt, tail);
        request.put(md5At, md5);
        request.put(signatureAt, signer.sign(md5));
        return request.rewind();
    }

    private byte[] md5() {
        try {
            MessageDigest md5 = (MessageDigest) start.clone();
            md5.update(tail);
            return md5.digest();
        } catch (CloneNotSupportedException e) {
            throw new LinkageError("the JDK's MD5 can be cloned", e);
        }
    }

    /** Writes the head of a new second. */
    private void layOut() {
        second = signer.second();
        byte[] head = (signer.head() + body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        md5At = signer.md5At();
        signatureAt = signer.signatureAt();
        if (bodyAt != head.length) {
            bodyAt = head.length;
            request = ByteBuffer.allocateDirect(head.length + body.length);
            request.put(head.length, body);
        }
        request.put(0, head);
    }
}
