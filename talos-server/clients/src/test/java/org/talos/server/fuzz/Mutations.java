// SPDX-License-Identifier: Apache-2.0
package org.talos.server.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Changed inputs of a corpus, one seed's always the same: without coverage, for where the fuzzer does not run.
 *
 * <p>Confined: the test.
 */
final class Mutations {
    private static final int[] NUMBERS = {
        0, 1, -1, 2, 7, 8, 16, 127, 128, 255, 256, 1 << 16, Integer.MAX_VALUE, Integer.MIN_VALUE, 1 << 30
    };
    private static final int MOST_CHANGES = 6;

    private final List<byte[]> corpus = new ArrayList<>();
    private final SplittableRandom random;

    Mutations(FuzzTarget target, long seed) throws IOException {
        for (Path input : target.inputs()) {
            corpus.add(Files.readAllBytes(input));
        }
        random = new SplittableRandom(seed);
    }

    /** The next input. */
    byte[] next() {
        byte[] input = any();
        for (int changes = 1 + random.nextInt(MOST_CHANGES); changes > 0; changes--) {
            input = changed(input);
        }
        return input;
    }

    private byte[] any() {
        return corpus.get(random.nextInt(corpus.size())).clone();
    }

    private byte[] changed(byte[] input) {
        if (input.length < Long.BYTES) {
            return any();
        }
        int at = random.nextInt(input.length);
        switch (random.nextInt(7)) {
            case 0 -> input[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            case 1 -> input[at] = (byte) random.nextInt();
            case 2 -> input[at] = (byte) NUMBERS[random.nextInt(NUMBERS.length)];
            case 3 ->
                ByteBuffer.wrap(input)
                        .putInt(Math.min(at, input.length - Integer.BYTES), NUMBERS[random.nextInt(NUMBERS.length)]);
            case 4 -> {
                return spliced(input, at, input, at + random.nextInt(input.length - at));
            }
            case 5 -> {
                byte[] other = any();
                return spliced(input, at, other, random.nextInt(other.length));
            }
            default -> {
                return spliced(input, at, input, random.nextInt(at + 1));
            }
        }
        return input;
    }

    /** The beginning of one and the end of another. */
    private static byte[] spliced(byte[] first, int until, byte[] second, int from) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(first, 0, until);
        bytes.write(second, from, second.length - from);
        return bytes.toByteArray();
    }
}
