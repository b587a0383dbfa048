// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.zip.DataFormatException;
import org.talos.bench.client.LoadPhase;
import org.talos.bench.engine.QuietCompiler;
import org.talos.bench.load.CompileTime;
import org.talos.bench.load.WarmUp;
import org.talos.bench.synchronous.LoadCounts;
import org.talos.bench.synchronous.LoadMemory;
import org.talos.bench.synchronous.LoadThreads;
import org.talos.bench.synchronous.SynchronousLoad;
import org.talos.launcher.local.ShutdownHooks;
import org.talos.launcher.local.SpawnedServer;

/**
 * A client library under load in a JVM of its own, from its start to its end. It ends by itself, whatever its server
 * does.
 *
 * <p>Confined: one run.
 */
final class LoadProcess {
    private static final double NANOS = 1e9;
    private static final int PAUSE_MILLIS = 100;

    private final Process process;
    private final Path log;

    private LoadProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * The measured figures. Immutable, but for the histograms.
     *
     * @param puts from when a put was called, or due, to its acknowledgement
     * @param gets from when a put was called, or due, to when its message was got
     * @param threads of both processes
     * @param warmUpSeconds before
     */
    record Outcome(
            LoadPhase puts,
            LoadPhase gets,
            List<LoadThreads> threads,
            LoadMemory memory,
            LoadCounts counts,
            double warmUpSeconds) {
        Outcome {
            threads = List.copyOf(threads);
        }
    }

    /**
     * Runs it.
     *
     * @param program main class and arguments
     * @param serverPid whose compilers are to be quiet, too
     * @param log where its standard error goes
     * @throws IOException it could not be measured; the last lines of the log say why
     */
    static Outcome run(String classPath, List<String> program, long serverPid, Duration longestWarmUp, Path log)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(PeersSettings.CLIENT_JVM);
        command.addAll(List.of("-cp", classPath));
        command.addAll(program);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        ShutdownHooks.onExit("end-client", process::destroy);
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
                BufferedWriter in = process.outputWriter(StandardCharsets.UTF_8)) {
            return new LoadProcess(process, log).run(out, in, serverPid, longestWarmUp);
        } finally {
            var unused = process.destroyForcibly().waitFor(); // no effect on one that has ended
        }
    }

    private Outcome run(BufferedReader out, BufferedWriter in, long serverPid, Duration longestWarmUp)
            throws IOException, InterruptedException {
        awaitRunning(out);
        double warmUpSeconds = warmUp(serverPid, longestWarmUp);
        in.write("measure\n");
        in.flush();
        List<LoadPhase> phases = new ArrayList<>();
        List<LoadThreads> threads = new ArrayList<>();
        List<LoadMemory> memory = new ArrayList<>();
        List<LoadCounts> counts = new ArrayList<>();
        try {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                LoadPhase.of(line).ifPresent(phases::add);
                LoadThreads.of(line).ifPresent(threads::add);
                LoadMemory.of(line).ifPresent(memory::add);
                LoadCounts.of(line).ifPresent(counts::add);
            }
        } catch (DataFormatException e) {
            throw new IOException("the client's output cannot be read", e);
        }
        if (phases.size() < 2 || memory.isEmpty() || counts.isEmpty()) {
            throw new IOException("the client failed: see " + log + SpawnedServer.lastWords(log));
        }
        return new Outcome(phases.get(0), phases.get(1), threads, memory.get(0), counts.get(0), warmUpSeconds);
    }

    private void awaitRunning(BufferedReader out) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.equals(SynchronousLoad.RUNNING)) {
                return;
            }
        }
        throw new IOException("the client did not start: see " + log + SpawnedServer.lastWords(log));
    }

    private double warmUp(long serverPid, Duration longest) throws InterruptedException {
        CompileTime server = CompileTime.of(serverPid);
        CompileTime client = CompileTime.of(process.pid());
        WarmUp warmUp = new QuietCompiler(() -> sum(server.seconds(), client.seconds()), longest);
        long begin = System.nanoTime();
        long nanos = 0;
        while (!warmUp.isOver(nanos) && process.isAlive()) {
            Thread.sleep(PAUSE_MILLIS);
            nanos = System.nanoTime() - begin;
        }
        return nanos / NANOS;
    }

    private static OptionalDouble sum(OptionalDouble one, OptionalDouble other) {
        return one.isPresent() && other.isPresent()
                ? OptionalDouble.of(one.getAsDouble() + other.getAsDouble())
                : OptionalDouble.empty();
    }
}
