// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import com.fasterxml.jackson.core.type.TypeReference;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.talos.launcher.local.ShutdownHooks;

/**
 * The process that attacks, which yields to all others: the server and the other user have the processors as if it were
 * on a machine of its own.
 *
 * <p>Confined: the main thread.
 */
final class HostileLoad implements AutoCloseable {
    private static final long END_SECONDS = 30;

    private final Process process;
    private final BufferedReader out;
    private final Writer in;

    private HostileLoad(Process process) {
        this.process = process;
        out = process.inputReader(StandardCharsets.UTF_8);
        in = process.outputWriter(StandardCharsets.UTF_8);
    }

    /**
     * Begins the attack.
     *
     * @param log where the process' errors go
     */
    static HostileLoad begin(Victim victim, Path log) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        "nice",
                        "-n",
                        "19",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-XX:+DisplayVMOutputToStderr",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HostileProcess.class.getName()))
                .redirectError(log.toFile())
                .start();
        ShutdownHooks.onExit("end-hostile-load", process::destroyForcibly);
        HostileLoad load = new HostileLoad(process);
        try {
            load.in.write(HostileProcess.JSON.writeValueAsString(victim) + "\n");
            load.in.flush();
            if (!HostileProcess.BEGUN.equals(load.out.readLine())) {
                throw new IOException("the hostile load did not begin: see " + log);
            }
            return load;
        } catch (IOException e) {
            load.close();
            throw e;
        }
    }

    /** Ends the attack; returns what became of it. */
    Map<Attack, Tally.Counts> end() throws IOException {
        in.close();
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the hostile load has ended early");
        }
        return HostileProcess.JSON.readValue(line, new TypeReference<>() {});
    }

    @Override
    public void close() {
        process.destroyForcibly()
                .onExit()
                .completeOnTimeout(process, END_SECONDS, TimeUnit.SECONDS)
                .join();
    }
}
