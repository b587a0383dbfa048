// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.checksum;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ClaimsTest {
    private static final int KNOWN = 10;
    private static final long SEED = Long.getLong("talos.test.seed", 1);

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final byte[] file = new byte[2_000];

    ClaimsTest() {
        random.nextBytes(file);
    }

    private Checksum of(int from, int bytes, boolean isTrue) {
        Checksum right = Checksum.of(ByteBuffer.wrap(file, from, bytes));
        return isTrue ? right : new Checksum(right.crc() ^ 1, bytes);
    }

    /** Makes claims of random lengths, a few of them true, and reads in random pieces; returns the first true one. */
    private OptionalLong make(Claims claims, int trueOutOf100) {
        OptionalLong first = OptionalLong.empty();
        int at = 0;
        while (at + KNOWN <= file.length) {
            int one = random.nextInt(file.length - at - KNOWN + 1);
            int two = random.nextInt(file.length - at - KNOWN - one + 1);
            boolean firstIsTrue = random.nextInt(100) < 50 + trueOutOf100;
            boolean secondIsTrue = random.nextInt(100) < trueOutOf100;
            claims.claim(
                    of(at, KNOWN, true), of(at + KNOWN, one, firstIsTrue), of(at + KNOWN + one, two, secondIsTrue));
            if (firstIsTrue && secondIsTrue && first.isEmpty()) {
                first = OptionalLong.of(at);
            }
            int step = Math.min(1 + random.nextInt(40), file.length - at);
            claims.read(ByteBuffer.wrap(file, at, step));
            at += step;
        }
        claims.read(ByteBuffer.wrap(file, at, file.length - at));
        return first;
    }

    @Test
    void firstTrueClaimIsFoundAmongManyThatOverlap() {
        for (int round = 0; round < 500; round++) {
            Claims claims = new Claims(0, 1_000);

            OptionalLong first = make(claims, round % 50);

            assertThat(claims.found()).as("round %d of seed %d", round, SEED).isEqualTo(first);
            assertThat(claims.isDecided()).isTrue();
        }
    }

    @Test
    void claimIsDecidedAsSoonAsNothingBeforeItCanBeTrue() {
        Claims claims = new Claims(0, 2);
        claims.claim(of(0, 10, true), of(10, 0, true), of(10, 500, false));
        claims.read(ByteBuffer.wrap(file, 0, 100));
        claims.claim(of(100, 10, true), of(110, 20, true), of(130, 70, true));
        assertThat(claims.isFull()).isTrue();

        claims.read(ByteBuffer.wrap(file, 100, 100));
        assertThat(claims.found()).hasValue(100);
        assertThat(claims.isDecided()).isFalse();

        claims.read(ByteBuffer.wrap(file, 200, 310));
        assertThat(claims.isDecided()).isTrue();
        assertThat(claims.isFull()).isFalse();
    }

    @Test
    void positionsCountFromWhereTheReadingBegan() {
        Claims claims = new Claims(1L << 40, 1);
        claims.read(ByteBuffer.wrap(file, 0, 7));
        claims.claim(of(7, 1, true), of(8, 1, true), of(9, 1, true));

        claims.read(ByteBuffer.wrap(file, 7, 3));

        assertThat(claims.found()).hasValue((1L << 40) + 7);
    }
}
