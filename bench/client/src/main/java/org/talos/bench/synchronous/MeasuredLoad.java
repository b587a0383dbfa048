// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.talos.bench.client.LoadPhase;

/**
 * Runs a load and measures it on request: it prints {@link #RUNNING}, warms up until it reads a line, measures for the
 * time of its settings, and prints two {@link LoadPhase}s, the {@link LoadThreads} of both processes, the
 * {@link LoadMemory} and the {@link LoadCounts}.
 *
 * <p>Confined: the main thread of the client's process.
 */
final class MeasuredLoad {
    /** The line that is printed when the load has begun. */
    static final String RUNNING = "talos-bench-running";

    private static final Duration LONGEST_BESIDE = Duration.ofMinutes(5); // start, warm-up and end
    private static final Duration LONGEST_OPENING = Duration.ofMinutes(2); // more than the timeouts of libraries
    private static final Duration LONGEST_COUNT = Duration.ofSeconds(90); // likewise
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(30);
    private static final long LONGEST_END_SECONDS = 30;
    private static final long SETTLING_MILLIS = 2_000;

    private final SynchronousSettings settings;
    private final ProcessHandle server;
    private final Recording recording;
    private final List<LoadThreads> used = new ArrayList<>();

    private MeasuredLoad(SynchronousSettings settings, ProcessHandle server, Recording recording) {
        this.settings = settings;
        this.server = server;
        this.recording = recording;
    }

    /** Puts and gets that record their outcomes. Confined: the main thread. */
    interface Load extends AutoCloseable {
        /** Begins to put and to get, each put as soon as the one before is acknowledged. */
        void start() throws Exception;

        /** From now on puts are due at fixed times. */
        void pace(double perSecond);

        /**
         * Begins no further put, and waits until all are acknowledged and got.
         *
         * @return false if they were not in this time
         */
        boolean end(long seconds) throws InterruptedException;

        /** Returns how many messages the server has, in all partitions of the topic. */
        long stored() throws Exception;

        @Override
        void close();
    }

    /** Makes the topic, and a load on it. */
    interface Opening {
        /** Opens a load on the server that the settings name. */
        Load open(SynchronousSettings settings, Recording recording) throws Exception;
    }

    /**
     * Runs a client's process, which ends with it: by 0, or by 1 if it could not be measured. Puts and gets that fail
     * are counted, and no reason for 1.
     *
     * @param arguments {@link SynchronousSettings}
     */
    static void main(String[] arguments, Opening opening) {
        int code = 1;
        try {
            measure(SynchronousSettings.of(List.of(arguments)), opening);
            code = 0;
        } catch (Exception | Error e) { // whatever a library throws; a class that is missing is an Error
            e.printStackTrace(System.err);
            System.err.println("nothing was measured: " + e); // the last line, which others show
        }
        System.out.flush();
        Runtime.getRuntime().halt(code); // a library may have left threads behind
    }

    private static void measure(SynchronousSettings settings, Opening opening) throws Exception {
        var unused = Lifetime.atMost(settings.measured().plus(LONGEST_BESIDE));
        ProcessHandle server = ProcessHandle.of(settings.serverPid()).orElseThrow();
        Recording recording = new Recording();
        MeasuredLoad measured = new MeasuredLoad(settings, server, recording);
        Load load = measured.step("opening the client", LONGEST_OPENING, () -> opening.open(settings, recording));
        try {
            measured.run(load);
        } finally {
            var unusedLoad = measured.step("closing the client", LONGEST_CLOSE, () -> {
                load.close();
                return load;
            });
        }
    }

    /** Runs a step that waits for the server, within a time. */
    private <T> T step(String what, Duration longest, Callable<T> work) throws Exception {
        return Lifetime.within(longest, settings.server() + ": " + what, work);
    }

    private void run(Load load) throws Exception {
        var unused = step("connecting", LONGEST_OPENING, () -> {
            load.start();
            return load;
        });
        System.out.println(RUNNING);
        awaitLine();
        Lifetime.asLongAsItsParent();
        if (settings.perSecond() > 0) { // the warm-up has no pace: a cold one would leave overdue puts behind
            load.pace(settings.perSecond());
            Thread.sleep(SETTLING_MILLIS);
        }
        List<LoadPhase> phases = measured();
        LoadMemory memory = LoadMemory.sample(settings.serverPid());
        if (!load.end(LONGEST_END_SECONDS)) {
            recording.failed("some puts were never answered, or messages never got");
        }
        phases.forEach(each -> System.out.println(each.line()));
        used.forEach(each -> System.out.println(each.line()));
        System.out.println(memory.line());
        System.out.println(recording.counts(stored(load)).line());
    }

    private static void awaitLine() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        if (in.readLine() == null) {
            throw new IOException("nobody wants to know");
        }
    }

    private List<LoadPhase> measured() throws InterruptedException {
        Map<String, LoadThreads.Used> ofServer = LoadThreads.sample(settings.serverPid());
        Map<String, LoadThreads.Used> ofClient =
                LoadThreads.sample(ProcessHandle.current().pid());
        long begin = System.nanoTime();
        Duration clientCpu = cpu(ProcessHandle.current());
        Duration serverCpu = cpu(server);
        recording.measure(true);
        Thread.sleep(settings.measured().toMillis());
        recording.measure(false);
        clientCpu = cpu(ProcessHandle.current()).minus(clientCpu);
        serverCpu = server.isAlive() ? cpu(server).minus(serverCpu) : Duration.ZERO;
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        used.add(LoadThreads.between(LoadThreads.SERVER, ofServer, LoadThreads.sample(settings.serverPid())));
        used.add(LoadThreads.between(
                LoadThreads.CLIENT,
                ofClient,
                LoadThreads.sample(ProcessHandle.current().pid())));
        return List.of(
                new LoadPhase(LoadPhase.PUT, recording.puts(), took, clientCpu, serverCpu),
                new LoadPhase(LoadPhase.GET, recording.gets(), took, clientCpu, serverCpu));
    }

    private static Duration cpu(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** A server that has ended has failed, and stores nothing that could be counted. */
    private long stored(Load load) {
        try {
            return step("counting the messages", LONGEST_COUNT, load::stored);
        } catch (Exception e) { // whatever a library throws
            recording.failed("count: " + e);
            return 0;
        }
    }
}
