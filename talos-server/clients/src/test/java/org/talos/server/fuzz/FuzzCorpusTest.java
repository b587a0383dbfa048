// SPDX-License-Identifier: Apache-2.0
package org.talos.server.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the finds of a fuzzer, and the inputs where it begins, once each: without the fuzzer. */
@Isolated // measures what its thread allocates: more while Lincheck, beside it, has rewritten the classes it reads with
@Timeout(60)
class FuzzCorpusTest {
    private static final int MOST_BYTES = 4 << 10;

    @TestFactory
    List<DynamicTest> inputIsReadWithinItsBounds() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (FuzzTarget target : FuzzTarget.values()) {
            for (Path input : target.inputs()) {
                tests.add(DynamicTest.dynamicTest(
                        target + " " + input.getFileName(), () -> target.read(Files.readAllBytes(input))));
            }
        }
        return tests;
    }

    @ParameterizedTest
    @EnumSource
    void inputIsReadWithinItsBoundsWhereverItIsCut(FuzzTarget target) throws Exception {
        for (Path input : target.inputs()) {
            byte[] bytes = Files.readAllBytes(input);
            for (int length = 0; length < bytes.length; length++) {
                target.read(Arrays.copyOf(bytes, length));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void inputIsReadWithinItsBoundsWhateverIsChangedInIt(FuzzTarget target) throws Exception {
        long seed = Long.getLong("talos.fuzz.seed", new SplittableRandom().nextLong());
        int inputs = Integer.getInteger("talos.fuzz.inputs", 1_000);
        Mutations mutations = new Mutations(target, seed);
        for (int i = 0; i < inputs; i++) {
            byte[] input = mutations.next();
            try {
                target.read(input);
            } catch (Exception | Error e) {
                throw new AssertionError(
                        String.format(
                                Locale.ROOT,
                                "%s, -Dtalos.fuzz.seed=%d: %s",
                                target,
                                seed,
                                HexFormat.of().formatHex(input)),
                        e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void corpusIsSmall(FuzzTarget target) throws Exception {
        assertThat(target.inputs())
                .isNotEmpty()
                .allSatisfy(input -> assertThat(Files.size(input)).isLessThan(MOST_BYTES));
    }

    @Test
    void readingThatAllocatesMoreThanItsInputAllowsFails() {
        List<byte[]> kept = new ArrayList<>();

        assertThatThrownBy(() -> Fuzzed.within(10, 10, () -> kept.add(new byte[1 << 20])))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("were allocated");
    }
}
