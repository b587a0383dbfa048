// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BytePatternTest {
    private static boolean isIn(String pattern, String text) {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode("x" + text + "x").position(1);
        return new BytePattern(pattern.getBytes(StandardCharsets.UTF_8)).isIn(bytes.limit(bytes.limit() - 1));
    }

    @Test
    void patternIsFoundWhereATextHasIt() {
        Random random = new Random(17);
        for (int i = 0; i < 20_000; i++) {
            String text = some(random, random.nextInt(30));
            String pattern = some(random, 1 + random.nextInt(6));

            assertThat(isIn(pattern, text)).as("%s in %s", pattern, text).isEqualTo(text.contains(pattern));
        }
    }

    /** Of few letters, so that there is much that almost fits. */
    private static String some(Random random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append("abé".charAt(random.nextInt(3)));
        }
        return text.toString();
    }

    @Test
    void positionStays() {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode("a needle");

        assertThat(new BytePattern("needle".getBytes(StandardCharsets.UTF_8)).isIn(bytes))
                .isTrue();

        assertThat(bytes.position()).isZero();
    }

    /** By comparing at each place this would take 10 billion steps. */
    @Test
    void worstPatternTakesTimeInProportionToTheBytes() {
        assertThat(isIn("a".repeat(1_023) + "b", "a".repeat(10_000_000))).isFalse();
    }
}
