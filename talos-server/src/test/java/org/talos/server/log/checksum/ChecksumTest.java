// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.checksum;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChecksumTest {
    private final SplittableRandom random = new SplittableRandom(1);

    private ByteBuffer bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0, 5", "5, 0", "1, 1", "56, 4", "1000, 70000", "3, 1048577"})
    void checksumOfAWholeFollowsFromThoseOfItsParts(int first, int second) {
        ByteBuffer whole = bytes(first + second);
        Checksum begin = Checksum.of(whole.slice(0, first));
        Checksum rest = Checksum.of(whole.slice(first, second));

        assertThat(begin.then(rest)).isEqualTo(Checksum.of(whole));
        assertThat(begin.rest(Checksum.of(whole).crc(), second)).isEqualTo(rest);
    }

    @Test
    void partsMayBeLongerThanAnyArray() {
        Checksum part = Checksum.of(bytes(1 << 20));
        Checksum power = part;
        Checksum sum = new Checksum(0, 0);
        for (int i = 0; i < 14; i++) {
            power = power.then(power);
        }
        for (int i = 0; i < 1 << 14; i++) {
            sum = sum.then(part);
        }

        assertThat(power).isEqualTo(sum);
        assertThat(power.bytes()).isEqualTo(1L << 34);
    }
}
