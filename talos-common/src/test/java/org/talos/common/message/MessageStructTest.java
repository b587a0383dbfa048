// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.Message;
import org.talos.thrift.MessageType;

/** Checks that this reader reads the same as Thrift. */
class MessageStructTest {
    private static final long SEED = 23;
    private static final List<MessageType> TYPES = List.of(MessageType.values());

    private final Random random = new Random(SEED);

    private static @Nullable Message byThrift(byte[] bytes, int offset, int length) {
        Message message = new Message();
        try {
            message.read(Wire.reader(ThriftEncoding.COMPACT, bytes, offset, length));
            return message;
        } catch (TException e) {
            return null; // damaged
        }
    }

    private Message some() {
        byte[] body = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(400)];
        random.nextBytes(body);
        Message message = new Message(ByteBuffer.wrap(body));
        if (random.nextBoolean()) {
            message.setPartitionKey("key ü " + random.nextInt());
        }
        if (random.nextBoolean()) {
            message.setSequenceNumber("");
        }
        if (random.nextBoolean()) {
            message.setCreateTimestamp(random.nextLong() >> random.nextInt(64));
        }
        if (random.nextBoolean()) {
            message.setAppendTimestamp(random.nextLong() >> random.nextInt(64));
        }
        if (random.nextBoolean()) {
            message.setMessageType(TYPES.get(random.nextInt(TYPES.size())));
        }
        return message;
    }

    @Test
    void whatEverySdkWritesIsReadAsThriftReadsIt() throws TException {
        for (int i = 0; i < 2_000; i++) {
            Message message = some();
            byte[] struct = Wire.bytes(ThriftEncoding.COMPACT, message);
            byte[] bytes = new byte[struct.length + 20];
            random.nextBytes(bytes);
            int offset = random.nextInt(20);
            System.arraycopy(struct, 0, bytes, offset, struct.length);

            assertThat(MessageStruct.read(bytes, offset, struct.length))
                    .as("seed %d, message %d", SEED, i)
                    .isEqualTo(message);
        }
    }

    @Test
    void bodyIsAView() throws TException {
        byte[] bytes = Wire.bytes(ThriftEncoding.COMPACT, new Message(ByteBuffer.wrap("body".getBytes(UTF_8))));

        Message read = Objects.requireNonNull(MessageStruct.read(bytes, 0, bytes.length));

        assertThat(read.bufferForMessage().array()).isSameAs(bytes);
    }

    @Test
    void otherFieldsAreLeftToThrift() throws TException {
        Message tagged = some().setTag("tag");
        Message headed = some().setHeaders(Map.of("a", ByteBuffer.wrap(new byte[1])));
        for (Message each : new Message[] {tagged, headed}) {
            byte[] bytes = Wire.bytes(ThriftEncoding.COMPACT, each);

            assertThat(MessageStruct.read(bytes, 0, bytes.length)).isNull();
        }
    }

    @Test
    void damagedStructsAreReadAsThriftReadsThemOrLeftToIt() throws TException {
        int read = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = Wire.bytes(ThriftEncoding.COMPACT, some());
            for (int flips = random.nextInt(3); flips >= 0; flips--) {
                bytes[random.nextInt(Math.min(bytes.length, 40))] ^= (byte) (1 << random.nextInt(8));
            }
            bytes = random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;

            Message found = MessageStruct.read(bytes, 0, bytes.length);

            if (found != null) {
                read++;
                assertThat(found).as("seed %d, struct %d", SEED, i).isEqualTo(byThrift(bytes, 0, bytes.length));
            }
        }
        assertThat(read).as("structs that can be read in spite of it").isPositive();
    }

    @Test
    void numbersOfTooManyBytesAreLeftToThrift() {
        byte[] longType = {0x38, 1, 'x', 0x35, -1, -1, -1, -1, 0x1f, 0}; // 33 bits
        byte[] endless = {0x38, 1, 'x', 0x16, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1, 0};

        assertThat(MessageStruct.read(longType, 0, longType.length)).isNull();
        assertThat(MessageStruct.read(endless, 0, endless.length)).isNull();
    }
}
