// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs a program of the daemons' class path as a client of the cluster. Immutable. */
final class ClientProgram {
    /** How long one may take. */
    static final Duration LONGEST = Duration.ofMinutes(5);

    private ClientProgram() {}

    /**
     * Runs it to its end.
     *
     * @param worthwhile whether it may still succeed; it is ended as soon as it may not
     * @return what it printed
     * @throws IOException it ended with an error, which the message has with what it printed, or was ended
     */
    static String run(Layout layout, String mainClass, List<String> arguments, Waits.Condition worthwhile)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(DaemonProcess.java());
        command.add("-Xmx256m");
        command.addAll(DaemonProcess.opened());
        command.addAll(List.of("-cp", layout.clientClassPath(), mainClass));
        command.addAll(arguments);
        String name = mainClass + " " + String.join(" ", arguments);
        Path run = layout.directory().resolve("run");
        Path output = Files.createTempFile(run, "client", ".out");
        Path errors = Files.createTempFile(run, "client", ".err");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(layout.directory().toFile())
                    .redirectOutput(output.toFile())
                    .redirectError(errors.toFile())
                    .start();
            try {
                awaitEnd(process, name, worthwhile);
            } finally {
                process.destroyForcibly();
            }
            String said = Files.readString(output).strip();
            if (process.exitValue() != 0) {
                throw new IOException(name + " ended with " + process.exitValue() + ": " + said
                        + Files.readString(errors).strip());
            }
            return said;
        } finally {
            Files.delete(output);
            Files.delete(errors);
        }
    }

    private static void awaitEnd(Process process, String name, Waits.Condition worthwhile)
            throws IOException, InterruptedException {
        Waits.until(LONGEST, () -> name + " has not ended", () -> {
            if (process.isAlive() && !worthwhile.holds()) {
                throw new IOException(name + " waited for what has ended");
            }
            return !process.isAlive();
        });
    }
}
