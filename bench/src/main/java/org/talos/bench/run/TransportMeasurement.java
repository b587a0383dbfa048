// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.run;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.talos.bench.load.Observable;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandContext;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.Transport;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;

/**
 * Measures puts over one stream beside those by calls over one connection, round by round in turn, with the processor
 * time that client and server take for one.
 *
 * <p>Confined: the main thread.
 */
final class TransportMeasurement {
    private static final double MICROS = 1e6;
    private static final double LEAST_RATE = 3;
    private static final double MOST_CPU = 0.1;

    private final CommandContext context;
    private final int partitions;
    private final int size;
    private final Duration warmUp;
    private final Duration measured;

    /** One transport in one round. Immutable, but for the histogram. */
    private record Figures(Histogram latency, double seconds, double clientSeconds, double serverSeconds) {
        double perSecond() {
            return latency.getTotalCount() / seconds;
        }

        double cpu() {
            return (clientSeconds + serverSeconds) / latency.getTotalCount();
        }

        SortedMap<String, Double> columns() {
            double puts = latency.getTotalCount();
            return new TreeMap<>(Map.of(
                    "client CPU us a put", MICROS * clientSeconds / puts,
                    "server CPU us a put", MICROS * serverSeconds / puts,
                    "CPU us a put", MICROS * cpu()));
        }
    }

    TransportMeasurement(CommandContext context, int partitions, int size, Duration warmUp, Duration measured) {
        this.context = context;
        this.partitions = partitions;
        this.size = size;
        this.warmUp = warmUp;
        this.measured = measured;
    }

    /** Measures all rounds, and adds what came of them to the report. */
    void run(Target target, int rounds, RunReport report)
            throws IOException, TalosClientException, InterruptedException {
        ClientConfig config = ClientConfig.of(target.endpoint());
        String name = "bench-" + Long.toString(System.currentTimeMillis(), 36);
        try (TalosClient client = new TalosClient(config)) {
            TopicDescription topic = new TalosAdmin(client).createTopic(NewTopic.of(name, partitions));
            try (TransportLoad calls = new TransportLoad(config, Transport.CALLS, topic, size);
                    TransportLoad stream = new TransportLoad(config, Transport.STREAM, topic, size)) {
                calls.run(warmUp);
                stream.run(warmUp);
                List<Figures> ofCalls = new ArrayList<>();
                List<Figures> ofStream = new ArrayList<>();
                for (int round = 1; round <= rounds; round++) {
                    ofCalls.add(measure("calls", calls, target, round, report));
                    ofStream.add(measure("stream", stream, target, round, report));
                    report.write();
                }
                claims(ofCalls, ofStream, report);
            } finally {
                new TalosAdmin(client).deleteTopic(name);
            }
        }
    }

    private Figures measure(String transport, TransportLoad load, Observable server, int round, RunReport report)
            throws IOException, TalosClientException, InterruptedException {
        double client = -cpuSeconds();
        double ofServer = -server.cpuSeconds();
        double begin = System.nanoTime();
        Histogram latency = load.run(measured);
        double seconds = (System.nanoTime() - begin) / 1e9;
        Figures figures = new Figures(latency, seconds, client + cpuSeconds(), ofServer + server.cpuSeconds());
        report.add(
                new Measure(transport, round, "put", latency, seconds, latency.getTotalCount(), 0, figures.columns()));
        context.line(String.format(
                Locale.ROOT,
                "round %d: %-6s %8.0f puts/s, %7.1f us of processors a put, of these the client's %.1f",
                round,
                transport,
                figures.perSecond(),
                MICROS * figures.cpu(),
                figures.columns().get("client CPU us a put")));
        return figures;
    }

    private static double cpuSeconds() {
        return ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toNanos()
                / 1e9;
    }

    private static void claims(List<Figures> calls, List<Figures> stream, RunReport report) {
        report.add(Claim.atLeast(
                "stream : calls, puts a second", "", ratio(calls, stream, Figures::perSecond), LEAST_RATE));
        report.add(Claim.atMost(
                "stream : calls, CPU of client and server a put", "", ratio(calls, stream, Figures::cpu), MOST_CPU));
    }

    /** The median of the rounds' ratios. */
    private static double ratio(List<Figures> calls, List<Figures> stream, ToDoubleFunction<Figures> figure) {
        double[] sorted = new double[calls.size()];
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = figure.applyAsDouble(stream.get(i)) / figure.applyAsDouble(calls.get(i));
        }
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
