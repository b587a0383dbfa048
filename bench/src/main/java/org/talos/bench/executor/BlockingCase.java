// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.report.Measure;
import org.talos.launcher.local.SpawnedServer;

/**
 * One case: a model with this number of threads, in a process of its own that is idle between its rounds. Confined: the
 * main thread.
 */
final class BlockingCase implements AutoCloseable {
    static final String OPERATION = "echo";

    private final HandlerModel model;
    private final int threads;
    private final SpawnedServer server;
    private final InetSocketAddress address;
    private final SocketChannel tally;
    private final EchoLoad load;

    private BlockingCase(
            HandlerModel model, int threads, SpawnedServer server, InetSocketAddress address, EchoLoad load)
            throws IOException {
        this.model = model;
        this.threads = threads;
        this.server = server;
        this.address = address;
        this.load = load;
        tally = SocketChannel.open(address);
    }

    static BlockingCase start(HandlerModel model, int threads, BlockingSettings settings, Path log) throws IOException {
        BlockingDelays delays = settings.delays();
        Map<String, String> environment = Map.of(
                EchoServer.MODEL, model.label(),
                EchoServer.THREADS, Integer.toString(threads),
                EchoServer.VIRTUAL, Boolean.toString(settings.virtual()),
                EchoServer.LANES, Integer.toString(settings.lanes()),
                EchoServer.MEAN_MICROS, Long.toString(BlockingSettings.micros(delays.mean())),
                EchoServer.MOST_MICROS, Long.toString(BlockingSettings.micros(delays.most())),
                EchoServer.SEED, Long.toString(delays.seed()));
        SpawnedServer server =
                SpawnedServer.start(EchoServer.class.getName(), settings.serverOptions(), environment, log);
        try {
            URI uri = server.uri();
            return new BlockingCase(
                    model,
                    threads,
                    server,
                    new InetSocketAddress(uri.getHost(), uri.getPort()),
                    new EchoLoad(settings.connections(), settings.inFlight()));
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    static String name(HandlerModel model, int threads) {
        return format("%d threads, %s", threads, model.label());
    }

    HandlerModel model() {
        return model;
    }

    void warmUp(Duration duration) throws IOException {
        var unused = load.run(address, Duration.ZERO, duration, () -> {});
    }

    Measure measure(int round, Duration settling, Duration measured) throws IOException, InterruptedException {
        OptionalDouble handOver = HandOver.nanos();
        Cpu cpu = new Cpu();
        EchoLoad.Result result = load.run(address, settling, measured, cpu);
        cpu.end();
        ServerTally.Reading handlers = EchoLoad.tally(tally);
        double requests = Math.max(1, result.latency().getTotalCount());
        SortedMap<String, Double> figures = new TreeMap<>();
        figures.put("distinct workers", (double) handlers.threads());
        figures.put("asked to block us", handlers.askedMicros());
        figures.put("blocked us", handlers.blockedMicros());
        handOver.ifPresent(nanos -> figures.put("hand-over ns", nanos));
        figures.put("server cpu us", cpu.serverMicros / requests);
        figures.put("client cpu us", cpu.clientMicros / requests);
        return new Measure(
                name(model, threads),
                round,
                OPERATION,
                result.latency(),
                result.seconds(),
                handlers.handled(),
                result.unanswered(),
                figures);
    }

    @Override
    public void close() throws IOException {
        try {
            tally.close();
        } finally {
            server.close();
        }
    }

    /** Measures processor time of both ends after the warm-up. Confined: the load's thread. */
    private final class Cpu implements Runnable {
        private double serverMicros;
        private double clientMicros;

        @Override
        public void run() {
            serverMicros = -micros(server.cpu());
            clientMicros = -micros(own());
        }

        void end() {
            serverMicros += micros(server.cpu());
            clientMicros += micros(own());
        }

        private static Duration own() {
            return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
        }

        private static double micros(Duration duration) {
            return duration.toNanos() / 1e3;
        }
    }
}
