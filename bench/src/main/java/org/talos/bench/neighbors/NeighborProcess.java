// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.talos.launcher.local.ShutdownHooks;

/**
 * The process of a neighbor. It reads its target from standard input, loads the server until standard input ends, and
 * prints how much the server has done: messages stored, or connections taken.
 *
 * <p>Confined: the main thread; what its threads share is thread-safe.
 */
public final class NeighborProcess implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BEGUN = "begun";
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1); // after a connection that ended
    private static final long END_SECONDS = 30;

    private final Process process;
    private final BufferedReader out;
    private final Writer in;

    private NeighborProcess(Process process) {
        this.process = process;
        out = process.inputReader(StandardCharsets.UTF_8);
        in = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** Loads the server until standard input ends. */
    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        NeighborTarget target = JSON.readValue(in.readLine(), NeighborTarget.class);
        LongAdder done = new LongAdder();
        for (int i = 0; i < target.kind().threads(); i++) {
            NeighborLoad load = target.kind().load(target, i);
            Thread thread = new Thread(() -> runAgainAndAgain(load, done), "neighbor-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println(BEGUN);
        while (in.readLine() != null) {
            // nothing is said before the end
        }
        System.out.println(done.sum());
    }

    private static void runAgainAndAgain(NeighborLoad load, LongAdder done) {
        while (true) {
            try {
                load.run(done);
            } catch (IOException e) {
                LockSupport.parkNanos(PAUSE_NANOS); // the server has ended the connection, or takes none
            }
        }
    }

    /**
     * Starts one, which yields to all other processes.
     *
     * @param log where its errors go
     */
    static NeighborProcess start(NeighborTarget target, Path log) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        "nice",
                        "-n",
                        "19",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:+DisplayVMOutputToStderr",
                        "-cp",
                        System.getProperty("java.class.path"),
                        NeighborProcess.class.getName()))
                .redirectError(log.toFile())
                .start();
        ShutdownHooks.onExit("end-neighbor", process::destroyForcibly);
        NeighborProcess neighbor = new NeighborProcess(process);
        try {
            neighbor.in.write(JSON.writeValueAsString(target) + "\n");
            neighbor.in.flush();
            if (!BEGUN.equals(neighbor.out.readLine())) {
                throw new IOException("the neighbor did not begin: see " + log);
            }
            return neighbor;
        } catch (IOException e) {
            neighbor.close();
            throw e;
        }
    }

    /** Ends the load; returns how much the server has done. */
    long end() throws IOException {
        in.close();
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the neighbor has ended early");
        }
        return Long.parseLong(line);
    }

    @Override
    public void close() {
        process.destroyForcibly()
                .onExit()
                .completeOnTimeout(process, END_SECONDS, TimeUnit.SECONDS)
                .join();
    }
}
