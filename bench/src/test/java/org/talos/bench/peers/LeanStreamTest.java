// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** The bytes of {@link LeanPut} and {@link LeanGet}, by docs/formats/stream.md. */
class LeanStreamTest {
    private static final int SIZE = 1_000;
    private static final int PARTITION = 3;
    private static final int WINDOW = 8_000;
    private static final int SERVER_HEAD_BYTES = 4;
    private static final int CLIENT_HEAD_BYTES = 8;

    private final byte[] message = new byte[SIZE];

    @BeforeEach
    void fill() {
        new Random(1).nextBytes(message);
    }

    /** A message of the server in a frame of its own, with a length of two bytes. */
    private static ByteBuffer fromServer(ByteBuffer message) {
        return ByteBuffer.allocate(SERVER_HEAD_BYTES + message.remaining())
                .put((byte) 0x82)
                .put((byte) 126)
                .putShort((short) message.remaining())
                .put(message)
                .flip();
    }

    private static ByteBuffer stored(long number, long offset) {
        return fromServer(ByteBuffer.allocate(28)
                .put((byte) 0x82)
                .put(new byte[3])
                .putInt(1)
                .putInt(PARTITION)
                .putLong(number)
                .putLong(offset)
                .flip());
    }

    private static ByteBuffer credit() {
        return fromServer(ByteBuffer.allocate(8).put(0, (byte) 0x84));
    }

    private static ByteBuffer block(byte[] message, long offset) {
        ByteBuffer block = LeanPut.block(message).bufferForMessageBlock();
        return fromServer(ByteBuffer.allocate(60 + block.remaining())
                .put((byte) 0x85)
                .put(new byte[3])
                .putInt(PARTITION)
                .putLong(offset)
                .putLong(offset)
                .putLong(offset + 1)
                .putInt(1)
                .putLong(1)
                .putLong(1)
                .putInt(0)
                .putInt(block.remaining())
                .put(block.duplicate())
                .flip());
    }

    @Test
    void putIsABlockWithOneMessage() throws MalformedBlockException {
        LeanPut puts = new LeanPut(PARTITION, message.clone());
        var unused = puts.put(6, 5);
        ByteBuffer put = puts.put(7, 99).position(CLIENT_HEAD_BYTES);

        assertThat(put.getInt()).as("type, flags, compression").isEqualTo(0x01000000);
        assertThat(put.getInt()).isEqualTo(PARTITION);
        assertThat(put.getLong()).isEqualTo(7);
        assertThat(put.getInt()).as("messages").isEqualTo(1);
        assertThat(put.getLong()).as("create time").isPositive();
        assertThat(put.getInt()).isEqualTo(put.remaining());
        byte[] bytes = new byte[put.remaining()];
        put.get(bytes);
        MessageBlock block = new MessageBlock(7, 1, MessageCompressionType.NONE, ByteBuffer.wrap(bytes));
        List<MessageAndOffset> messages = MessageBlocks.read(block, 1 << 20);
        assertThat(messages).hasSize(1);
        ByteBuffer body = messages.get(0).getMessage().bufferForMessage();
        assertThat(body.getLong()).isEqualTo(7);
        assertThat(body.getLong()).isEqualTo(99);
        assertThat(body).isEqualTo(ByteBuffer.wrap(message, 16, SIZE - 16));
    }

    @Test
    void putIsAcknowledgedByItsNumberAtTheNextOffset() throws IOException {
        LeanPut puts = new LeanPut(PARTITION, message.clone());
        var unused = puts.put(7, 99);

        assertThat(puts.acknowledged(credit())).isFalse();
        assertThat(puts.acknowledged(stored(7, 7))).isTrue();
        assertThatThrownBy(() -> puts.acknowledged(stored(7, 8)))
                .isInstanceOf(IOException.class)
                .hasMessage("1 puts stored, number 7 at offset 8 (expected: 1, number and offset 7)");
        assertThatThrownBy(() -> puts.acknowledged(stored(6, 7))).isInstanceOf(IOException.class);
    }

    @Test
    void refusedPutIsAFailureWithItsProblem() {
        LeanPut puts = new LeanPut(PARTITION, message.clone());
        ByteBuffer refused =
                ByteBuffer.allocate(18).put(0, (byte) 0x83).put(16, (byte) '{').put(17, (byte) '}');

        assertThatThrownBy(() -> puts.acknowledged(fromServer(refused)))
                .isInstanceOf(IOException.class)
                .hasMessage("refused: {}");
    }

    @Test
    void blocksAreGotAndTheirCreditIsGrantedFourTimesAWindow() throws IOException {
        LeanGet gets = new LeanGet(WINDOW, PARTITION, message.clone());
        List<ByteBuffer> got = new ArrayList<>();

        ByteBuffer subscribe = gets.request().position(6);
        assertThat(subscribe.getInt()).isEqualTo(0x03000000);
        assertThat(subscribe.getInt()).isEqualTo(PARTITION);
        assertThat(subscribe.getLong()).as("from the first message on").isZero();
        gets.read(block(message, 0), got::add);
        assertThat(gets.request().hasRemaining()).isFalse();
        gets.read(block(message, 1), got::add);
        ByteBuffer grant = gets.request().position(6);

        assertThat(got).containsExactly(ByteBuffer.wrap(message), ByteBuffer.wrap(message));
        assertThat(grant.getInt()).isEqualTo(0x05000000);
        int cost = block(message, 0).remaining() - SERVER_HEAD_BYTES;
        assertThat(grant.getInt()).isEqualTo(2 * cost);
        assertThat(gets.request().hasRemaining()).isFalse();
    }

    @Test
    void blockOfAnotherLengthIsAFailure() {
        LeanGet gets = new LeanGet(WINDOW, PARTITION, message.clone());

        assertThatThrownBy(() -> gets.read(block(new byte[SIZE - 1], 0), each -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a block of 1 messages and ");
    }
}
