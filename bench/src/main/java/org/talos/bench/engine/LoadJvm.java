// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.talos.launcher.local.ShutdownHooks;

/**
 * A load in a JVM of its own, which yields to all other processes: the server and the other user have the processors as
 * if it were on a machine of its own. It reads its target from standard input, loads the server until standard input
 * ends, and prints what became of it, both as JSON.
 *
 * <p>Confined: the main thread.
 */
public final class LoadJvm implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BEGUN = "begun";
    private static final long END_SECONDS = 30;

    private final Process process;
    private final BufferedReader out;
    private final Writer in;

    private LoadJvm(Process process) {
        this.process = process;
        out = process.inputReader(StandardCharsets.UTF_8);
        in = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** A load that has begun. */
    @FunctionalInterface
    public interface Load {
        /** Ends it; returns what became of it. */
        Object end() throws InterruptedException;
    }

    /**
     * Begins a load.
     *
     * @param <T> its target
     */
    @FunctionalInterface
    public interface Beginning<T> {
        /** Begins, on threads of its own. */
        Load begin(T target) throws IOException;
    }

    /** The main method of the JVM: loads the server until standard input ends. */
    public static <T> void serve(Class<T> type, Beginning<T> beginning) throws IOException, InterruptedException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Load load = beginning.begin(JSON.readValue(in.readLine(), type));
        System.out.println(BEGUN);
        while (in.readLine() != null) {
            // nothing is said before the end
        }
        System.out.println(JSON.writeValueAsString(load.end()));
    }

    /**
     * Starts one, and returns when its load has begun.
     *
     * @param mainClass which calls {@link #serve}
     * @param heap as after {@code -Xmx}
     * @param log where its errors go
     */
    public static LoadJvm start(Class<?> mainClass, String heap, Object target, Path log) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        "nice",
                        "-n",
                        "19",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx" + heap,
                        "-XX:+UseSerialGC",
                        "-XX:+DisplayVMOutputToStderr",
                        "-cp",
                        System.getProperty("java.class.path"),
                        mainClass.getName()))
                .redirectError(log.toFile())
                .start();
        ShutdownHooks.onExit("end-load", process::destroyForcibly);
        LoadJvm load = new LoadJvm(process);
        try {
            load.in.write(JSON.writeValueAsString(target) + "\n");
            load.in.flush();
            if (!BEGUN.equals(load.out.readLine())) {
                throw new IOException("the load did not begin: see " + log);
            }
            return load;
        } catch (IOException e) {
            load.close();
            throw e;
        }
    }

    /** Ends the load; returns what became of it. */
    public <R> R end(TypeReference<R> type) throws IOException {
        in.close();
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the load has ended early");
        }
        return JSON.readValue(line, type);
    }

    @Override
    public void close() {
        process.destroyForcibly()
                .onExit()
                .completeOnTimeout(process, END_SECONDS, TimeUnit.SECONDS)
                .join();
    }
}
