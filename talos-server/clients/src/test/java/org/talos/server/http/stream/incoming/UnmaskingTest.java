// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream.incoming;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that unmasking restores the bytes of the client, at any length and place. */
class UnmaskingTest {
    private static final long SEED = 21_1126;

    @Test
    void whatWasMaskedIsAsItWas() {
        Random random = new Random(SEED);
        for (int round = 0; round < 2_000; round++) {
            byte[] mask = new byte[4];
            random.nextBytes(mask);
            byte[] all = new byte[random.nextInt(80)];
            random.nextBytes(all);
            int from = random.nextInt(all.length + 1);
            int to = from + random.nextInt(all.length - from + 1);
            byte[] expected = all.clone();
            for (int i = from; i < to; i++) {
                expected[i] ^= mask[(i - from) & 3];
            }
            ByteBuffer payload = (round % 2 == 0
                            ? ByteBuffer.allocate(all.length)
                            : ByteBuffer.allocateDirect(all.length))
                    .put(all)
                    .position(from)
                    .limit(to)
                    .order(round % 3 == 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);

            Unmasking.unmask(payload, mask);

            assertThat(payload.position()).isEqualTo(from);
            assertThat(payload.limit()).isEqualTo(to);
            byte[] found = new byte[all.length];
            payload.clear().get(found);
            assertThat(found).as("round %d", round).isEqualTo(expected);
        }
    }

    @Test
    void noMaskOfZerosIsTakenOff() {
        ByteBuffer payload = ByteBuffer.wrap(new byte[] {1, 2, 3}).asReadOnlyBuffer();

        Unmasking.unmask(payload, new byte[4]);

        assertThat(payload.remaining()).isEqualTo(3);
    }

    @Test
    void emptyFrameHasNothingToUnmask() {
        byte[] mask = {1, 2, 3, 4};

        Frame.Parsed frame = parser().parse(masked(OpCode.TEXT, mask, new byte[0]));

        assertThat(frame.getOpCode()).isEqualTo(OpCode.TEXT);
        assertThat(frame.isMasked()).isTrue();
        assertThat(frame.getPayloadLength()).isZero();
    }

    /** Data comes in as many pieces as there are buffers, and a ping is put together. */
    @ParameterizedTest
    @ValueSource(bytes = {OpCode.BINARY, OpCode.PING})
    void maskGoesOnWhereverBuffersEnd(byte opCode) {
        byte[] payload = new byte[21];
        new Random(SEED).nextBytes(payload);
        byte[] sent = masked(opCode, new byte[] {1, 20, 30, 40}, payload).array();

        for (int first = 0; first <= sent.length; first++) {
            for (int second = first; second <= sent.length; second++) {
                assertThat(parsed(sent.clone(), first, second, sent.length))
                        .as("buffers of the bytes up to %d and %d", first, second)
                        .isEqualTo(payload);
            }
        }
    }

    private static byte[] parsed(byte[] sent, int... ends) {
        Unmasking parser = parser();
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        int from = 0;
        for (int end : ends) {
            ByteBuffer buffer = ByteBuffer.wrap(sent, from, end - from);
            while (buffer.hasRemaining()) {
                Frame.Parsed frame = parser.parse(buffer);
                if (frame != null) {
                    byte[] bytes = new byte[frame.getPayloadLength()];
                    frame.getPayload().get(bytes);
                    payload.writeBytes(bytes);
                }
            }
            from = end;
        }
        return payload.toByteArray();
    }

    private static Unmasking parser() {
        return new Unmasking(new CoreSession.Empty() {
            @Override
            public ByteBufferPool getByteBufferPool() {
                return ByteBufferPool.NON_POOLING;
            }
        });
    }

    /** A whole frame as a client sends it; the payload is less than 126 bytes. */
    private static ByteBuffer masked(byte opCode, byte[] mask, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(2 + mask.length + payload.length)
                .put((byte) (0x80 | opCode))
                .put((byte) (0x80 | payload.length))
                .put(mask);
        for (int i = 0; i < payload.length; i++) {
            frame.put((byte) (payload[i] ^ mask[i & 3]));
        }
        return frame.flip();
    }

    @Test
    void jettysConnectionsCanUseIt() {
        assertThat(Unmasking.isPossible()).as("the field of Jetty's parser").isTrue();
    }
}
