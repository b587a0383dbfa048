// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.run;

import static org.talos.bench.report.Text.format;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.talos.bench.engine.Experiment;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.load.Observable;
import org.talos.bench.load.Observed;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
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
final class TransportExperiment implements Experiment<Transport>, AutoCloseable {
    private static final String PUT = "put";
    private static final String CPU = "CPU us a put";
    private static final String CLIENT_CPU = "client CPU us a put";
    private static final double MICROS = 1e6;
    private static final double LEAST_RATE = 3;
    private static final double MOST_CPU = 0.1;

    private final Target target;
    private final Duration measured;
    private final TalosClient client;
    private final String topic = "bench-" + Long.toString(System.currentTimeMillis(), 36);
    private final Map<Transport, TransportLoad> loads = new LinkedHashMap<>();

    private TransportExperiment(Target target, Duration measured) {
        this.target = target;
        this.measured = measured;
        client = new TalosClient(ClientConfig.of(target.endpoint()));
    }

    /** Creates the topic and warms both ways up. */
    static TransportExperiment start(Target target, int partitions, int size, Duration warmUp, Duration measured)
            throws TalosClientException, InterruptedException {
        TransportExperiment started = new TransportExperiment(target, measured);
        try {
            TopicDescription topic = new TalosAdmin(started.client).createTopic(NewTopic.of(started.topic, partitions));
            for (Transport each : List.of(Transport.CALLS, Transport.STREAM)) {
                TransportLoad load = new TransportLoad(ClientConfig.of(target.endpoint()), each, topic, size);
                started.loads.put(each, load);
                load.run(warmUp);
            }
            return started;
        } catch (TalosClientException | InterruptedException | RuntimeException e) {
            started.loads.values().forEach(TransportLoad::close);
            started.client.close();
            throw e;
        }
    }

    private static String label(Transport transport) {
        return transport.equals(Transport.CALLS) ? "calls" : "stream";
    }

    @Override
    public List<Transport> cases(int round) {
        return List.copyOf(loads.keySet());
    }

    @Override
    public List<Measure> measure(Transport transport, int round) throws TalosClientException, InterruptedException {
        Observed observed = new Observed(Observable.of(target::cpuSeconds));
        observed.opened();
        Histogram latency = Objects.requireNonNull(loads.get(transport)).run(measured);
        observed.closed();
        double puts = latency.getTotalCount() / MICROS;
        SortedMap<String, Double> figures = new TreeMap<>(Map.of(
                CLIENT_CPU,
                observed.clientSeconds() / puts,
                "server CPU us a put",
                observed.cpuSeconds() / puts,
                CPU,
                (observed.clientSeconds() + observed.cpuSeconds()) / puts));
        return List.of(new Measure(
                label(transport), round, PUT, latency, observed.seconds(), latency.getTotalCount(), 0, figures));
    }

    @Override
    public String line(Transport transport, List<Measure> measures) {
        Measure puts = measures.get(0);
        return format(
                "%-6s %8.0f puts/s, %7.1f us of processors a put, of these the client's %.1f",
                label(transport), puts.perSecond(), puts.figure(CPU), puts.figure(CLIENT_CPU));
    }

    @Override
    public List<Claim> claims(Results results) {
        Figure rate = Results.figure(PUT, Measure::perSecond);
        Figure cpu = Results.figure(PUT, each -> each.figure(CPU));
        return List.of(
                Claim.atLeast("stream : calls, puts a second", "", results.ratio("stream", "calls", rate), LEAST_RATE),
                Claim.atMost(
                        "stream : calls, CPU of client and server a put",
                        "",
                        results.ratio("stream", "calls", cpu),
                        MOST_CPU));
    }

    @Override
    public void close() throws TalosClientException {
        loads.values().forEach(TransportLoad::close);
        try (client) {
            new TalosAdmin(client).deleteTopic(topic);
        }
    }
}
