// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream.incoming;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What takes masks off leaves what the client meant, at any length and place. */
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
    void jettysConnectionsCanUseIt() {
        assertThat(Unmasking.isPossible()).as("the field of Jetty's parser").isTrue();
    }
}
