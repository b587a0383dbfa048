// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DataFormatException;
import org.talos.bench.client.LoadPhase;
import org.talos.launcher.local.ShutdownHooks;

/** A client library under load in a JVM of its own, so that its cost is measured apart. Immutable. */
final class ClientProcess {
    private ClientProcess() {}

    /**
     * Runs it to its end.
     *
     * @param jvm options besides those of all processes
     * @param program main class and arguments
     * @param log where its standard error goes
     * @return the measured phases
     * @throws IOException it failed; the log says why
     */
    static List<LoadPhase> run(String classPath, List<String> jvm, List<String> program, Path log)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(SdkSettings.JVM);
        command.addAll(jvm);
        command.addAll(List.of("-cp", classPath));
        command.addAll(program);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        ShutdownHooks.onExit("end-client", process::destroy);
        List<LoadPhase> phases = new ArrayList<>();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                LoadPhase.of(line).ifPresent(phases::add);
            }
        } catch (DataFormatException e) {
            throw new IOException("the client's output cannot be read", e);
        } finally {
            process.destroy(); // no effect on one that has ended
        }
        int code = process.waitFor();
        if (code != 0) {
            throw new IOException("the client failed: see " + log);
        }
        return phases;
    }
}
