// SPDX-License-Identifier: Apache-2.0
package org.talos.server.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reads once more, in a JVM without the fuzzer's hooks, what a fuzzer has kept: those allocate more than what they look
 * at. Given the target and the folder, it fails on the first input that is not read within its bounds.
 *
 * <p>Confined: main.
 */
final class FuzzReplay {
    private FuzzReplay() {}

    public static void main(String[] arguments) throws IOException {
        FuzzTarget target = FuzzTarget.valueOf(arguments[0]);
        List<Path> inputs;
        try (Stream<Path> files = Files.list(Path.of(arguments[1]))) {
            inputs = files.toList();
        }
        for (Path input : inputs) {
            try {
                target.read(Files.readAllBytes(input));
            } catch (Exception | Error e) {
                throw new AssertionError(input.toString(), e);
            }
        }
        System.out.println("read again: " + inputs.size());
    }
}
