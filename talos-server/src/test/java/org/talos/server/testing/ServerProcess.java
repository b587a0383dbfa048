// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A Talos server in a JVM of its own, so that it can be killed. Its log goes to {@code server.log} beside its data.
 *
 * <p>Confined: the test.
 */
public final class ServerProcess implements AutoCloseable {
    private static final String READY = "talos: serving ";

    private static final String FORGOTTEN = "part not closed cleanly part=MemoryBudget";

    private final Process process;
    private final URI endpoint;
    private final Path log;

    private ServerProcess(Process process, URI endpoint, Path log) {
        this.process = process;
        this.endpoint = endpoint;
        this.log = log;
    }

    /** Starts a server on a free port and waits until it serves; the settings are environment variables. */
    public static ServerProcess start(Path data, Map<String, String> settings) throws IOException {
        return start(data, settings, "512m");
    }

    /** The same with so much heap. */
    public static ServerProcess start(Path data, Map<String, String> settings, String heap) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-Dtalos.log.level=INFO",
                "-Dlogback.configurationFile=logback.xml", // the server's own, not that of the tests
                "-cp",
                System.getProperty("java.class.path"),
                "org.talos.server.Main"));
        ProcessBuilder builder = new ProcessBuilder(command);
        Files.createDirectories(data);
        Path log = data.resolveSibling("server.log");
        builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().keySet().removeIf(name -> name.startsWith("TALOS_"));
        builder.environment().put("TALOS_DATADIRECTORY", data.toString());
        builder.environment().put("TALOS_HTTP_PORT", "0");
        builder.environment().put("TALOS_MANAGEMENT_PORT", "0");
        builder.environment().putAll(settings);
        Process process = builder.start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(READY)) {
                return new ServerProcess(process, URI.create(line.substring(READY.length())), log);
            }
        }
        process.destroyForcibly();
        throw new IOException("the server ended before it served: " + Files.readString(log));
    }

    /** Returns its address. */
    public URI endpoint() {
        return endpoint;
    }

    /** Ends it with SIGKILL and waits for its end. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Sends it a signal by its name without SIG: with STOP it pauses, with CONT it resumes. */
    public void signal(String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException("kill -" + name + " ended with " + exit);
        }
    }

    /**
     * Asks it to stop and waits; returns its exit code.
     *
     * @throws IllegalStateException it did not stop in time, or it had forgotten to release memory
     */
    public int stop() throws IOException, InterruptedException {
        process.destroy();
        return awaitEnd();
    }

    /**
     * Waits until it ends by itself; returns its exit code.
     *
     * @throws IllegalStateException it did not end in time, or it had forgotten to release memory
     */
    public int awaitEnd() throws IOException, InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException("the server did not end within a minute");
        }
        if (Files.readString(log).contains(FORGOTTEN)) {
            throw new IllegalStateException("the server has forgotten to release memory: " + Files.readString(log));
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
