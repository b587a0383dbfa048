// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.talos.bench.stream.StreamFrames;
import org.talos.bench.synchronous.LeanClient;

/**
 * Gets the messages of one partition over a stream: subscribes once, and then only grants credit, as rarely as the SDK
 * does. Expects blocks like those of {@link LeanPut}, and reads of each the head and the message.
 *
 * <p>Confined: the thread of the load.
 */
final class LeanGet implements LeanClient.Getter {
    private static final byte SUBSCRIBE = 3;
    private static final byte GRANT = 5;
    private static final byte BLOCK = (byte) 0x85;
    private static final byte ENDED = (byte) 0x86;
    private static final int SUBSCRIBE_BYTES = 16;
    private static final int PARTITION_AT = 4;
    private static final int OFFSET_AT = 8;
    private static final int GRANT_BYTES = 8;
    private static final int GRANTED_AT = 4;
    private static final int COMPRESSION_AT = 1; // all that follow: in BLOCK
    private static final int COUNT_AT = 32;
    private static final int ATTRIBUTES_AT = 52; // their length
    private static final int LENGTH_AT = 56;
    private static final int BLOCK_AT = 60; // without attributes
    private static final int PROBLEM_AT = 8; // in ENDED
    private static final int GRANTS_A_WINDOW = 4;

    private final StreamFrames frames = new StreamFrames();
    private final int window;
    private final int blockBytes;
    private final int messageAt; // in the block
    private final int messageBytes;
    private final ByteBuffer subscribe;
    private final ByteBuffer grant =
            StreamFrames.of(ByteBuffer.allocate(GRANT_BYTES).put(0, GRANT));
    private final int grantedAt = grant.limit() - GRANT_BYTES + GRANTED_AT;
    private boolean subscribed;
    private int toGrant;

    /**
     * A get from the first message on.
     *
     * @param window of the stream
     * @param message the message of the partition's putter
     */
    LeanGet(int window, int partition, byte[] message) {
        this.window = window;
        ByteBuffer block = LeanPut.block(message).bufferForMessageBlock();
        blockBytes = block.remaining();
        messageAt = LeanClient.indexOf(block, ByteBuffer.wrap(message)) - block.position();
        messageBytes = message.length;
        subscribe = StreamFrames.of(ByteBuffer.allocate(SUBSCRIBE_BYTES)
                .put(0, SUBSCRIBE)
                .putInt(PARTITION_AT, partition)
                .putLong(OFFSET_AT, 0));
    }

    @Override
    public ByteBuffer request() {
        if (!subscribed) {
            subscribed = true;
            return subscribe;
        }
        if (toGrant < window / GRANTS_A_WINDOW) {
            return grant.position(grant.limit());
        }
        grant.putInt(grantedAt, toGrant);
        toGrant = 0;
        return grant.rewind();
    }

    @Override
    public void read(ByteBuffer in, Consumer<ByteBuffer> messages) throws IOException {
        for (ByteBuffer next = frames.next(in); next != null; next = frames.next(in)) {
            switch (next.get(0)) {
                case BLOCK -> take(next, messages);
                case ENDED ->
                    throw new IOException("ended: " + StandardCharsets.UTF_8.decode(next.position(PROBLEM_AT)));
                default -> throw new IOException("a message of the unexpected type " + next.get(0));
            }
        }
    }

    private void take(ByteBuffer block, Consumer<ByteBuffer> messages) throws IOException {
        toGrant += block.remaining();
        int length = block.getInt(LENGTH_AT);
        int attributes = block.getInt(ATTRIBUTES_AT);
        if (block.get(COMPRESSION_AT) != 0 || block.getInt(COUNT_AT) != 1 || length != blockBytes) {
            throw new IOException("a block of " + block.getInt(COUNT_AT) + " messages and " + length
                    + " bytes (expected: 1 and " + blockBytes + ")");
        }
        messages.accept(block.slice(BLOCK_AT + attributes + messageAt, messageBytes));
    }
}
