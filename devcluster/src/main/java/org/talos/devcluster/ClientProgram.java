// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program of the daemons' class path that is a client of the cluster. Immutable. */
final class ClientProgram {
    private ClientProgram() {}

    static String run(Layout layout, String mainClass, List<String> arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(DaemonProcess.java());
        command.add("-Xmx256m");
        command.addAll(DaemonProcess.opened());
        command.addAll(List.of("-cp", layout.clientClassPath(), mainClass));
        command.addAll(arguments);
        Path errors = Files.createTempFile(layout.directory().resolve("run"), "client", ".err");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(layout.directory().toFile())
                    .redirectError(errors.toFile())
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException(
                        mainClass + " " + String.join(" ", arguments) + " ended with " + process.exitValue() + ": "
                                + output.strip() + Files.readString(errors).strip());
            }
            return output.strip();
        } finally {
            Files.delete(errors);
        }
    }
}
