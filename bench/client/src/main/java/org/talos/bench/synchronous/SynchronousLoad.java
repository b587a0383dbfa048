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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.talos.bench.client.LoadPhase;

/**
 * Puts and gets in threads that wait, and measures on request: it prints {@link #RUNNING}, warms up until it reads a
 * line, measures for the time of its settings, and prints two {@link LoadPhase}s, the {@link LoadThreads} of both
 * processes, the {@link LoadMemory} and the {@link LoadCounts}.
 *
 * <p>Confined: the main thread of the client's process.
 */
public final class SynchronousLoad {
    /** The line that is printed when all threads have begun. */
    public static final String RUNNING = "talos-bench-running";

    private static final Duration LONGEST_BESIDE = Duration.ofMinutes(5); // start, warm-up and end
    private static final long LONGEST_END_SECONDS = 30;
    private static final long SETTLING_MILLIS = 2_000;
    private static final double NANOS = 1e9;

    private final SynchronousSettings settings;
    private final ProcessHandle server;
    private final Recording recording = new Recording();
    private final List<PutLoop> puts = new ArrayList<>();
    private final List<GetLoop> gets = new ArrayList<>();
    private final List<LoadThreads> used = new ArrayList<>();

    private SynchronousLoad(SynchronousSettings settings, ProcessHandle server) {
        this.settings = settings;
        this.server = server;
    }

    /** Makes the topic and what puts to it and gets from it. */
    public interface Opening {
        /** A client of the server that the settings name. */
        SynchronousClient open(SynchronousSettings settings) throws Exception;
    }

    /**
     * The main method of a client's process, which ends with it: by 0, or by 1 if it could not be measured. Puts and
     * gets that fail are counted, and no reason for 1.
     *
     * @param arguments {@link SynchronousSettings}
     */
    public static void main(String[] arguments, Opening opening) {
        int code = 1;
        try {
            SynchronousSettings settings = SynchronousSettings.of(List.of(arguments));
            var unused = Lifetime.atMost(settings.measured().plus(LONGEST_BESIDE));
            ProcessHandle server = ProcessHandle.of(settings.serverPid()).orElseThrow();
            try (SynchronousClient client = opening.open(settings)) {
                new SynchronousLoad(settings, server).run(client);
            }
            code = 0;
        } catch (Exception e) { // whatever a library throws
            System.err.println("nothing was measured");
            e.printStackTrace(System.err);
        }
        System.out.flush();
        Runtime.getRuntime().halt(code); // a library may have left threads behind
    }

    private void run(SynchronousClient client) throws Exception {
        prepare(client);
        ExecutorService threads = Executors.newFixedThreadPool(puts.size() + gets.size());
        try {
            gets.forEach(each -> threads.execute(each::run));
            puts.forEach(each -> threads.execute(each::run));
            System.out.println(RUNNING);
            awaitLine();
            Lifetime.asLongAsItsParent();
            pace();
            List<LoadPhase> phases = measured();
            LoadMemory memory = LoadMemory.sample(settings.serverPid());
            puts.forEach(PutLoop::end);
            threads.shutdown();
            if (!threads.awaitTermination(LONGEST_END_SECONDS, TimeUnit.SECONDS)) {
                recording.failed("some puts were never answered, or messages never got");
            }
            phases.forEach(each -> System.out.println(each.line()));
            used.forEach(each -> System.out.println(each.line()));
            System.out.println(memory.line());
            System.out.println(recording.counts(stored(client)).line());
        } finally {
            threads.shutdownNow();
        }
    }

    private void prepare(SynchronousClient client) throws Exception {
        for (int partition = 0; partition < settings.putters(); partition++) {
            PutLoop put =
                    new PutLoop(client.putter(partition), new StampedMessage(partition, settings.size()), recording);
            puts.add(put);
            if (partition < settings.getters()) {
                StampedMessage expected = new StampedMessage(partition, settings.size());
                gets.add(new GetLoop(client.getter(partition), put, expected, recording, partition));
            }
        }
    }

    /** The warm-up has no pace: one that began cold would leave puts behind that are long overdue. */
    private void pace() throws InterruptedException {
        if (settings.perSecond() > 0) {
            long between = Math.round(puts.size() / settings.perSecond() * NANOS);
            long begin = System.nanoTime();
            for (int i = 0; i < puts.size(); i++) {
                puts.get(i).pace(new PutLoop.Pace(begin + between * i / puts.size(), between));
            }
            Thread.sleep(SETTLING_MILLIS);
        }
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
    private long stored(SynchronousClient client) {
        try {
            return client.stored();
        } catch (Exception e) { // whatever a library throws
            recording.failed("count: " + e);
            return 0;
        }
    }
}
