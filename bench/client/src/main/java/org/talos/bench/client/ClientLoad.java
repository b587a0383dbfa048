// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Puts messages by a client library as fast as it takes them, then reads all back: once to warm up, once measured.
 * Nobody reads while messages are put, so that either has the processors to itself.
 *
 * <p>Confined: the main thread of the client's process.
 */
public final class ClientLoad {
    /** The time without arrivals after which the load fails. */
    static final Duration STALLED = Duration.ofSeconds(60);

    private final MeasuredClient client;
    private final LoadSettings settings;
    private final NumberedMessages messages;
    private final ProcessHandle server;
    private final ExecutorService threads;

    private ClientLoad(MeasuredClient client, LoadSettings settings, ProcessHandle server) {
        this.client = client;
        this.settings = settings;
        this.server = server;
        messages = new NumberedMessages(settings.size());
        threads = Executors.newFixedThreadPool(settings.threads());
    }

    /** One thread's part of something that all do. */
    interface Part {
        void run(int thread) throws Exception;
    }

    /**
     * Runs the load and prints the measured phases to standard output.
     *
     * @throws Exception a message was not stored, was not got, or got twice; what the library throws
     */
    public static void run(MeasuredClient client, LoadSettings settings) throws Exception {
        ProcessHandle server = ProcessHandle.of(settings.serverPid()).orElseThrow();
        ClientLoad load = new ClientLoad(client, settings, server);
        try {
            load.run();
        } finally {
            load.threads.shutdownNow();
        }
    }

    private void run() throws Exception {
        List<MeasuredClient.Reader> readers = new ArrayList<>();
        try {
            for (int i = 0; i < settings.threads(); i++) {
                readers.add(client.join());
            }
            ReadLoad reads = new ReadLoad(readers, messages);
            PutLoad puts = new PutLoad(client, messages, settings.threads());
            reads.settle(settings.partitions(), this::all);
            long count = settings.messages();
            var warmUp = List.of(puts.run(0, count, this), reads.run(0, count, this));
            System.err.println(
                    "warmed up: " + warmUp.get(0).took() + ", " + warmUp.get(1).took());
            System.out.println(puts.run(count, count, this).line());
            System.out.println(reads.run(count, count, this).line());
        } finally {
            for (MeasuredClient.Reader reader : readers) {
                reader.close();
            }
        }
    }

    /** Runs each thread's part; returns when all have ended. */
    void all(Part part) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < settings.threads(); i++) {
            int thread = i;
            running.add(threads.submit(() -> {
                part.run(thread);
                return null;
            }));
        }
        for (Future<?> each : running) {
            var unused = each.get();
        }
    }

    /** Processor time of this process. */
    static Duration clientCpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow();
    }

    /** Processor time of the server's. */
    Duration serverCpu() {
        return server.info().totalCpuDuration().orElseThrow();
    }
}
