// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A server in a JVM of its own, so that its cost is measured separately from the caller's. Confined: one run. */
public final class SpawnedServer implements AutoCloseable {
    private static final String READY = "talos: serving ";
    private static final int LAST_LINES = 20;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Process process;
    private final URI uri;

    private SpawnedServer(Process process, URI uri) {
        this.process = process;
        this.uri = uri;
    }

    /**
     * Starts a main class with this program's class path and waits for its line {@code talos: serving <uri>}.
     *
     * @param log file for its standard error
     */
    public static SpawnedServer start(String mainClass, List<String> jvm, Map<String, String> environment, Path log)
            throws IOException {
        return start(List.of(), mainClass, jvm, environment, log);
    }

    /**
     * Starts the main class in a JVM whose command line has a prefix.
     *
     * @param before prefix of the JVM's command, such as taskset
     */
    public static SpawnedServer start(
            List<String> before, String mainClass, List<String> jvm, Map<String, String> environment, Path log)
            throws IOException {
        return start(before, System.getProperty("java.class.path"), List.of(mainClass), jvm, environment, log);
    }

    /**
     * Starts a program that does not belong to Talos.
     *
     * @param classPath this program's class path is not added
     * @param program main class and arguments
     */
    public static SpawnedServer start(String classPath, List<String> program, List<String> jvm, Path log)
            throws IOException {
        return start(List.of(), classPath, program, jvm, Map.of(), log);
    }

    private static SpawnedServer start(
            List<String> before,
            String classPath,
            List<String> program,
            List<String> jvm,
            Map<String, String> environment,
            Path log)
            throws IOException {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm);
        command.addAll(List.of("-cp", classPath));
        command.addAll(program);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().remove("TALOS_LOGFILE"); // of this process, if any: two cannot write one
        builder.environment().putAll(environment);
        builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        Process process = builder.start();
        ShutdownHooks.onExit("end-server", process::destroy);
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(READY)) {
                return new SpawnedServer(process, URI.create(line.substring(READY.length())));
            }
        }
        process.destroyForcibly();
        throw new IOException("the server did not start: see " + log + lastWords(log));
    }

    /**
     * Returns the last lines of a log, each after a line break, without the frames of stack traces, so that the message
     * of a deep failure is included. The caller may delete the log afterwards.
     */
    public static String lastWords(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8).stream()
                .filter(line -> !line.startsWith("\t"))
                .toList();
        return lines.stream()
                .skip(Math.max(0, lines.size() - LAST_LINES))
                .map(line -> System.lineSeparator() + "    " + line)
                .collect(Collectors.joining());
    }

    /** Returns the address on which it listens. */
    public URI uri() {
        return uri;
    }

    /** Returns its process id. */
    public long pid() {
        return process.pid();
    }

    /** Returns whether the process is alive. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the processor time that it has used. */
    public Duration cpu() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Kills the process; returns when it has ended. */
    public void kill() throws InterruptedException {
        var unused = process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws IOException {
        var unused = stop(PATIENCE);
    }

    /** Stops the server, and kills it if that takes too long; returns false in this case. */
    public boolean stop(Duration patience) {
        process.destroy();
        try {
            if (process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                return true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        return false;
    }
}
