// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class QuietCompilerTest {
    private static final long SECOND = 1_000_000_000;

    private OptionalDouble compiled = OptionalDouble.of(7);
    private final QuietCompiler warmUp = new QuietCompiler(() -> compiled, Duration.ofSeconds(60));

    /** Asks at a second by which the compilers have worked so much more. */
    private boolean isOverAt(int second, double more) {
        compiled = OptionalDouble.of(compiled.orElse(0) + more);
        return warmUp.isOver(second * SECOND);
    }

    @Test
    void warmUpEndsAfterThreeSecondsOneBehindTheOtherWithLittleToCompile() {
        assertThat(isOverAt(1, 0.9)).isFalse();
        assertThat(isOverAt(2, 0.01)).isFalse();
        assertThat(isOverAt(3, 0.01)).isFalse();
        assertThat(isOverAt(4, 0.2)).as("a method was compiled").isFalse();
        assertThat(isOverAt(5, 0.01)).isFalse();
        assertThat(isOverAt(6, 0.04)).isFalse();

        assertThat(isOverAt(7, 0)).isTrue();
        assertThat(isOverAt(8, 1)).as("never begins again").isTrue();
    }

    @Test
    void compilersAreAskedOnceASecondHoweverOftenLoopsAsk() {
        for (int turn = 1; turn <= 3_999; turn++) {
            assertThat(warmUp.isOver(turn * SECOND / 1_000)).isFalse();
        }

        assertThat(warmUp.isOver(4 * SECOND)).isTrue();
    }

    @Test
    void serverThatGoesOnCompilingIsMeasuredAfterTheLongestTime() {
        for (int second = 1; second < 60; second++) {
            assertThat(isOverAt(second, 0.5)).isFalse();
        }

        assertThat(isOverAt(60, 0.5)).isTrue();
    }

    @Test
    void serverWhoseCompilersAreNotKnownIsWarmedUpForTheLongestTime() {
        compiled = OptionalDouble.empty();

        assertThat(warmUp.isOver(59 * SECOND)).isFalse();
        assertThat(warmUp.isOver(60 * SECOND)).isTrue();
    }
}
