// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.talos.bench.stream.StreamFrames;
import org.talos.bench.synchronous.LeanClient;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Puts one message after another to one partition over a stream, as PUT with a block, like the SDK. The frame is
 * encoded once, and each put changes its numbers and times in place.
 *
 * <p>Confined: the thread of the load.
 */
final class LeanPut implements LeanClient.Putter {
    private static final byte PUT = 1;
    private static final byte STORED = (byte) 0x82;
    private static final byte REFUSED = (byte) 0x83;
    private static final byte CREDIT = (byte) 0x84;
    private static final int PUT_HEAD_BYTES = 32;
    private static final int NUMBER_AT = 8; // in the message of the client
    private static final int CREATED_AT = 20;
    private static final int COUNT_AT = 4; // in STORED
    private static final int STORED_NUMBER_AT = 12;
    private static final int OFFSET_AT = 20;
    private static final int PROBLEM_AT = 16; // in REFUSED

    private final StreamFrames frames = new StreamFrames();
    private final ByteBuffer frame;
    private final int headAt;
    private final int messageAt;
    private long number; // of the put in flight

    LeanPut(int partition, byte[] message) {
        MessageBlock block = block(message);
        ByteBuffer bytes = block.bufferForMessageBlock();
        ByteBuffer put = ByteBuffer.allocate(PUT_HEAD_BYTES + bytes.remaining())
                .put(PUT)
                .put((byte) 0) // flags
                .put((byte) MessageCompressionType.NONE.getValue())
                .put((byte) 0)
                .putInt(partition)
                .putLong(0) // number
                .putInt(block.getMessageNumber())
                .putLong(block.getCreateTimestamp())
                .putInt(bytes.remaining())
                .put(bytes.duplicate())
                .flip();
        frame = StreamFrames.of(put.duplicate());
        headAt = frame.limit() - put.limit();
        messageAt = LeanClient.indexOf(frame, ByteBuffer.wrap(message));
    }

    /** Returns a block with one message, which is not compressed. */
    static MessageBlock block(byte[] message) {
        return MessageBlocks.write(
                List.of(new Message(ByteBuffer.wrap(message))),
                MessageCompressionType.NONE,
                System.currentTimeMillis());
    }

    @Override
    public ByteBuffer put(long number, long nanos) {
        this.number = number;
        frame.putLong(headAt + NUMBER_AT, number);
        frame.putLong(headAt + CREATED_AT, System.currentTimeMillis());
        frame.putLong(messageAt, number).putLong(messageAt + Long.BYTES, nanos);
        return frame.rewind();
    }

    /** The credit needs no counting: the window has room for several puts, and one is in flight. */
    @Override
    public boolean acknowledged(ByteBuffer in) throws IOException {
        boolean stored = false;
        for (ByteBuffer answer = frames.next(in); answer != null; answer = frames.next(in)) {
            switch (answer.get(0)) {
                case STORED -> {
                    requireStored(answer);
                    stored = true;
                }
                case REFUSED ->
                    throw new IOException("refused: " + StandardCharsets.UTF_8.decode(answer.position(PROBLEM_AT)));
                case CREDIT -> {}
                default -> throw new IOException("a message of the unexpected type " + answer.get(0));
            }
        }
        return stored;
    }

    private void requireStored(ByteBuffer answer) throws IOException {
        int puts = answer.getInt(COUNT_AT);
        long acknowledged = answer.getLong(STORED_NUMBER_AT);
        long offset = answer.getLong(OFFSET_AT);
        if (puts != 1 || acknowledged != number || offset != number) { // nobody else puts to the partition
            throw new IOException(puts + " puts stored, number " + acknowledged + " at offset " + offset
                    + " (expected: 1, number and offset " + number + ")");
        }
    }
}
