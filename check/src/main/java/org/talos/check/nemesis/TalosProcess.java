// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.talos.check.faulty.FaultyServer;
import org.talos.check.faulty.JournalTrouble;
import org.talos.check.faulty.ShiftedClock;
import org.talos.check.faulty.SuspendedTicker;
import org.talos.launcher.local.ServerState;
import org.talos.launcher.local.SpawnedServer;

/**
 * One Talos server at a fixed address, whose process can be stopped, killed and restarted. Confined: the main thread.
 */
final class TalosProcess implements AutoCloseable {
    private static final List<String> JVM =
            List.of("-Xms128m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss512k");
    private static final long STARTED_SECONDS = 120;
    /** Lines of a server that gives up after two session timeouts: of ZooKeeper, and of HDFS or HBase. */
    private static final List<String> WAITED = List.of("does not answer, or not in time", " to start waitedSeconds=");

    /** The daemons that the server needs. */
    @FunctionalInterface
    interface Dependencies {
        /** Restarts the daemons that have ended; returns whether there were any. */
        boolean startEnded() throws IOException, InterruptedException;
    }

    private final Map<String, String> environment;
    private final URI uri;
    private final Path log;
    private final Path shift;
    private final Path suspended;
    private final Path journals;
    private final Dependencies dependencies;
    private @Nullable SpawnedServer process;
    private OptionalLong suspendedAt = OptionalLong.empty(); // the start of a suspension that lasts

    /**
     * Describes a server, which {@link #start} starts.
     *
     * @param environment the server's whole configuration
     * @param faults the folder of the files that say how wrong its clocks are and what happens to its journals
     */
    TalosProcess(Map<String, String> environment, URI uri, Path log, Path faults, Dependencies dependencies)
            throws IOException {
        this.environment = new HashMap<>(environment);
        shift = faults.resolve("clock-shift");
        suspended = faults.resolve("suspended");
        journals = faults.resolve("journal-trouble");
        this.environment.put(FaultyServer.SHIFT, shift.toString());
        this.environment.put(FaultyServer.SUSPENDED, suspended.toString());
        this.environment.put(FaultyServer.JOURNALS, journals.toString());
        this.uri = uri;
        this.log = log;
        this.dependencies = dependencies;
        shiftClock(Duration.ZERO);
        SuspendedTicker.add(suspended, Duration.ZERO);
        trouble(JournalTrouble.NONE);
    }

    /** Shifts the clock of this process. The next one begins with a right clock: with a wrong one no server starts. */
    void shiftClock(Duration by) throws IOException {
        ShiftedClock.shift(shift, by);
    }

    /** Says what happens to the writes of its journals, in this process and in the next ones. */
    void trouble(JournalTrouble trouble) throws IOException {
        trouble.write(journals);
    }

    /** Returns where it logs. */
    Path log() {
        return log;
    }

    URI uri() {
        return uri;
    }

    /**
     * Starts it if it does not run, and returns when it serves. HBase's daemons may have ended in the course of a
     * fault, and no server starts without them: then they are restarted, and the server is started once more, as by a
     * supervisor. A process that waited without success, on a machine that was paused, is started again until the time
     * for a start is over.
     */
    void start() throws IOException, InterruptedException {
        if (process == null) {
            shiftClock(Duration.ZERO);
            process = begin(true, System.nanoTime() + TimeUnit.SECONDS.toNanos(STARTED_SECONDS));
        }
    }

    private SpawnedServer begin(boolean again, long deadlineNanos) throws IOException, InterruptedException {
        long logged = Files.exists(log) ? Files.size(log) : 0;
        CompletableFuture<SpawnedServer> started = new CompletableFuture<>();
        Thread starting = new Thread(
                () -> {
                    try {
                        started.complete(SpawnedServer.start(FaultyServer.class.getName(), JVM, environment, log));
                    } catch (IOException e) {
                        started.completeExceptionally(e);
                    }
                },
                "check-start");
        starting.setDaemon(true);
        starting.start();
        try {
            return started.get(STARTED_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (again && dependencies.startEnded()) {
                return begin(false, System.nanoTime() + TimeUnit.SECONDS.toNanos(STARTED_SECONDS));
            }
            if (System.nanoTime() - deadlineNanos < 0 && hasWaited(logged)) {
                return begin(again, deadlineNanos);
            }
            throw new IOException("a server did not start: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new IOException(
                    "a server did not start within " + STARTED_SECONDS + " s, see its log " + log.getFileName(), e);
        }
    }

    /** Returns whether it has waited for what it needs, by what its log says behind a number of bytes. */
    private boolean hasWaited(long from) throws IOException {
        try (InputStream said = Files.newInputStream(log)) {
            said.skipNBytes(from);
            String text = new String(said.readAllBytes(), StandardCharsets.UTF_8);
            return WAITED.stream().anyMatch(text::contains);
        }
    }

    /** Returns its use of resources now; empty if it does not run. */
    Optional<ServerState> state() throws IOException {
        return process == null || !process.isAlive() ? Optional.empty() : Optional.of(ServerState.of(process));
    }

    /** Returns whether it was started and has ended by itself. */
    boolean hasEnded() {
        return process != null && !process.isAlive();
    }

    /** Kills it, as a power cut would. */
    void kill() throws InterruptedException {
        if (process != null) {
            process.kill();
            process = null;
            suspendedAt = OptionalLong.empty();
        }
    }

    /** Asks it to stop, and waits until it has. */
    void stop() throws IOException {
        if (process != null) {
            process.close();
            process = null;
        }
    }

    /** Sends it a signal, named without SIG. */
    void signal(String name) throws IOException, InterruptedException {
        if (process != null) {
            int code = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IOException("no signal " + name + " to process " + process.pid());
            }
        }
    }

    /** Stops the process as if its machine was suspended, until {@link #resume}. */
    void suspend() throws IOException, InterruptedException {
        if (process != null) {
            signal("STOP");
            suspendedAt = OptionalLong.of(System.nanoTime()); // only now: less is counted than the stop lasts
        }
    }

    /** Lets the process continue. Its monotonic clock was stopped meanwhile, its time of day was not. */
    void resume() throws IOException, InterruptedException {
        if (suspendedAt.isPresent()) {
            SuspendedTicker.add(suspended, Duration.ofNanos(System.nanoTime() - suspendedAt.getAsLong()));
            suspendedAt = OptionalLong.empty();
            signal("CONT");
        }
    }

    @Override
    public void close() {
        try {
            kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
