// SPDX-License-Identifier: Apache-2.0
package org.talos.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/** Whatever bytes come, what reads them ends with its own exception, and allocates no more than there is. */
class HostileBytesTest {
    private static final long MAX_BYTES = 4 << 20;
    private static final SplittableRandom RANDOM = seeded();

    private static SplittableRandom seeded() {
        long seed = Long.getLong("talos.hostile.seed", System.nanoTime());
        System.out.println("HostileBytesTest -Dtalos.hostile.seed=" + seed);
        return new SplittableRandom(seed);
    }

    private static List<Message> messages(int count) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] body = new byte[1 + RANDOM.nextInt(2_000)];
            if (RANDOM.nextBoolean()) {
                RANDOM.nextBytes(body);
            }
            Message message = new Message(ByteBuffer.wrap(body));
            if (RANDOM.nextBoolean()) {
                message.setPartitionKey("key-" + i);
                message.setSequenceNumber("número-" + i);
            }
            messages.add(message);
        }
        return messages;
    }

    @ParameterizedTest
    @EnumSource(MessageCompressionType.class)
    void blocksComeBackAsTheyWereWritten(MessageCompressionType type) throws Exception {
        for (int round = 0; round < 50; round++) {
            List<Message> written = messages(1 + RANDOM.nextInt(30));
            MessageBlock block = MessageBlocks.write(written, type, 1_700_000_000_000L);

            assertThat(MessageBlocks.read(block, MAX_BYTES))
                    .extracting(MessageAndOffset::getMessage)
                    .isEqualTo(written);
            MessageBlocks.checkClaims(block);
            MessageBlocks.checkContents(block, MAX_BYTES);
        }
    }

    @ParameterizedTest
    @EnumSource(MessageCompressionType.class)
    void brokenBlocksAreRefusedOrReadNeverWorse(MessageCompressionType type) {
        for (int round = 0; round < 400; round++) {
            MessageBlock block = MessageBlocks.write(messages(1 + RANDOM.nextInt(5)), type, 1);
            byte[] bytes = broken(block.getMessageBlock());
            block.setMessageBlock(ByteBuffer.wrap(bytes));
            try {
                assertThat(MessageBlocks.read(block, MAX_BYTES)).hasSize(block.getMessageNumber());
            } catch (MalformedBlockException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
        }
    }

    private static byte[] broken(byte[] whole) {
        byte[] bytes = RANDOM.nextBoolean() ? Arrays.copyOf(whole, RANDOM.nextInt(whole.length + 1)) : whole.clone();
        for (int flips = RANDOM.nextInt(4); flips > 0 && bytes.length > 0; flips--) {
            bytes[RANDOM.nextInt(bytes.length)] ^= (byte) (1 << RANDOM.nextInt(8));
        }
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(MessageCompressionType.class)
    void aBombIsRefusedAtTheBound(MessageCompressionType type) {
        Message zeros = new Message(ByteBuffer.allocate(8 << 20));
        MessageBlock bomb = MessageBlocks.write(List.of(zeros), type, 1);

        assertThatThrownBy(() -> MessageBlocks.read(bomb, 1 << 20)).isInstanceOf(MalformedBlockException.class);
    }

    /** A batch as a Kafka proxy writes it: its head, then records of a key and a value. */
    private static byte[] kafkaBatch(int records) {
        ByteArrayOutputStream batch = new ByteArrayOutputStream();
        byte[] head = new byte[69];
        head[0] = 'K';
        ByteBuffer.wrap(head).putLong(35, 1_700_000_000_000L).putInt(65, records);
        batch.writeBytes(head);
        for (int i = 0; i < records; i++) {
            ByteArrayOutputStream record = new ByteArrayOutputStream();
            record.write(0); // attributes
            varint(record, RANDOM.nextInt(1_000)); // time
            varint(record, i); // offset
            byte[] value = new byte[RANDOM.nextInt(200)];
            varint(record, -1); // no key
            varint(record, value.length);
            record.writeBytes(value);
            varint(record, 0); // headers
            varint(batch, record.size());
            batch.writeBytes(record.toByteArray());
        }
        return batch.toByteArray();
    }

    private static void varint(ByteArrayOutputStream out, long number) {
        long left = (number << 1) ^ (number >> 63);
        while ((left & ~0x7fL) != 0) {
            out.write((int) ((left & 0x7f) | 0x80));
            left >>>= 7;
        }
        out.write((int) left);
    }

    private static MessageBlock kafkaBlock(byte[] batch, int records) {
        return new MessageBlock(0, records, MessageCompressionType.NONE, ByteBuffer.wrap(batch));
    }

    @Test
    void brokenKafkaBatchesAreRefusedOrReadNeverWorse() throws Exception {
        assertThat(MessageBlocks.read(kafkaBlock(kafkaBatch(5), 5), MAX_BYTES)).hasSize(5);
        for (int round = 0; round < 20_000; round++) {
            int records = 1 + RANDOM.nextInt(5);
            byte[] batch = broken(kafkaBatch(records));
            int from = 69 + RANDOM.nextInt(20);
            for (int at = from; at < Math.min(batch.length, from + RANDOM.nextInt(12)); at++) {
                batch[at] = (byte) RANDOM.nextInt(-128, 4); // mostly numbers that continue
            }
            if (batch.length > 0) {
                batch[0] = 'K';
            }
            try {
                assertThat(MessageBlocks.read(kafkaBlock(batch, records), MAX_BYTES))
                        .hasSizeLessThan(batch.length);
            } catch (MalformedBlockException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
        }
    }

    @Test
    void aKafkaRecordOfAnImpossibleLengthIsRefused() {
        for (long length : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32, Integer.MAX_VALUE, -1, 2}) {
            ByteArrayOutputStream batch = new ByteArrayOutputStream();
            batch.writeBytes(Arrays.copyOf(kafkaBatch(1), 69));
            varint(batch, length);
            batch.writeBytes(new byte[30]);

            assertThatThrownBy(() -> MessageBlocks.checkContents(kafkaBlock(batch.toByteArray(), 1), MAX_BYTES))
                    .as("length %d", length)
                    .isInstanceOf(MalformedBlockException.class);
        }
    }

    @Test
    void impossibleSizesAndCountsAreRefused() {
        MessageBlock block = MessageBlocks.write(messages(2), MessageCompressionType.NONE, 1);
        block.setMessageNumber(0);
        assertThatThrownBy(() -> MessageBlocks.checkClaims(block)).isInstanceOf(MalformedBlockException.class);
        block.setMessageNumber(Integer.MAX_VALUE);
        assertThatThrownBy(() -> MessageBlocks.checkClaims(block)).isInstanceOf(MalformedBlockException.class);
        block.setMessageNumber(3);
        assertThatThrownBy(() -> MessageBlocks.checkContents(block, MAX_BYTES))
                .isInstanceOf(MalformedBlockException.class);
        block.setMessageNumber(2);
        block.setMessageBlockSize(1);
        assertThatThrownBy(() -> MessageBlocks.checkClaims(block)).isInstanceOf(MalformedBlockException.class);
    }

    @Test
    void noLz4BlockHasTheLengthThatBlindsAnSdk() {
        for (int length = 1; length < 600; length++) {
            Message message = new Message(ByteBuffer.wrap(new byte[length]));
            MessageBlock block = MessageBlocks.write(List.of(message), MessageCompressionType.LZ4, 1);

            assertThat(block.getMessageBlock()[0] == 'K').isFalse();
        }
    }

    private static byte[] call(ThriftEncoding encoding) throws TException {
        PutMessageRequest request = new PutMessageRequest(
                new TopicAndPartition("t", new TopicTalosResourceName("o#t#1"), 0),
                List.of(MessageBlocks.write(messages(3), MessageCompressionType.NONE, 1)),
                3,
                "c#1");
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuffer part : Envelope.call(encoding, "putMessage", 1, request)) {
            // A large block is handed on as it is, and the library makes it read-only: it has no array to take.
            byte[] bytes = new byte[part.remaining()];
            part.get(bytes);
            all.writeBytes(bytes);
        }
        return all.toByteArray();
    }

    private static PutMessageRequest read(ThriftEncoding encoding, byte[] bytes) throws TException {
        TProtocol in = Wire.reader(encoding, bytes, 0, bytes.length);
        Envelope.readHead(in);
        PutMessageRequest request = new PutMessageRequest();
        Envelope.readArguments(in, request);
        return request;
    }

    @ParameterizedTest
    @EnumSource(ThriftEncoding.class)
    void brokenCallsEndWithAThriftExceptionOrAreRead(ThriftEncoding encoding) throws Exception {
        byte[] whole = call(encoding);
        assertThat(read(encoding, whole).getMessageNumber()).isEqualTo(3);
        for (int round = 0; round < 1_000; round++) {
            byte[] bytes = broken(whole);
            try {
                assertThat(read(encoding, bytes)).isNotNull();
            } catch (TException e) {
                assertThat(e).isNotNull();
            } catch (RuntimeException e) {
                assertThat(encoding)
                        .as("only TJSONProtocol throws others: " + e)
                        .isEqualTo(ThriftEncoding.JSON);
            }
        }
    }

    @Test
    void declaredSizesBeyondTheCallAreRefused() {
        // A compact list of structs that claims 2^31 − 1 elements, inside the request of a call.
        byte[] huge = {(byte) 0x82, 0x21, 1, 1, 'x', 0x1c, 0x29, (byte) 0xfc, -1, -1, -1, -1, 7};

        assertThatThrownBy(() -> read(ThriftEncoding.COMPACT, huge)).isInstanceOf(TException.class);
    }

    @Test
    void deepNestingIsRefusedAlsoInUnknownFields() {
        ByteArrayOutputStream deep = new ByteArrayOutputStream();
        deep.writeBytes(new byte[] {(byte) 0x82, 0x21, 1, 1, 'x'});
        for (int level = 0; level < 10_000; level++) {
            deep.write(0x5c); // field 5 on, a struct: nobody knows it
        }

        assertThatThrownBy(() -> read(ThriftEncoding.COMPACT, deep.toByteArray()))
                .isInstanceOf(TException.class);
    }

    @Test
    void bytesAfterTheCallAreRefused() throws Exception {
        byte[] whole = call(ThriftEncoding.COMPACT);
        byte[] longer = Arrays.copyOf(whole, whole.length + 1);

        assertThatThrownBy(() -> read(ThriftEncoding.COMPACT, longer)).isInstanceOf(TException.class);
    }

    @Test
    void binariesAreViewsOfTheCallTheyCameIn() throws Exception {
        byte[] whole = call(ThriftEncoding.COMPACT);
        ByteBuffer block =
                read(ThriftEncoding.COMPACT, whole).getMessageBlocks().get(0).bufferForMessageBlock();
        byte before = block.get(block.position());

        for (int i = 0; i < whole.length; i++) {
            whole[i]++;
        }

        assertThat(block.get(block.position())).isNotEqualTo(before);
    }
}
