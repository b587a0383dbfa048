// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import static org.talos.bench.report.Text.format;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.engine.QuietCompiler;

/**
 * The settings of a measurement beside others. Immutable.
 *
 * @param partitions of the topic, and the most threads that put, or get
 * @param size bytes of a message
 * @param longestWarmUp bound of a warm-up that ends when the compilers of server and client are quiet
 * @param rate puts a second of {@link Shape#PACED}; empty for half of the slowest one's
 * @param work folder for the servers' data
 * @param serverOptions of the servers' JVMs, the same for all
 * @param places of the modules with the jars of those that are no part of Talos, and of the program of NATS
 * @param tuning of each product, beyond what this command says itself
 */
record PeersSettings(
        int partitions,
        int size,
        Duration longestWarmUp,
        Duration measured,
        int rounds,
        List<PeerCase> cases,
        List<Shape> shapes,
        Optional<Double> rate,
        Path work,
        List<String> serverOptions,
        Places places,
        Tuning tuning) {
    /** Of the clients' JVMs, the same for all. */
    static final List<String> CLIENT_JVM = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");

    PeersSettings {
        cases = List.copyOf(cases);
        shapes = List.copyOf(shapes);
        serverOptions = List.copyOf(serverOptions);
    }

    /**
     * The settings that experts of a product make. Immutable.
     *
     * @param streamedPuts whether Talos' producers use streams
     * @param streamedGets whether its consumers do
     * @param servers of brokers, by their names
     * @param producers of Kafka's producer, by its names
     */
    record Tuning(
            boolean streamedPuts,
            boolean streamedGets,
            Map<Product, Map<String, String>> servers,
            Map<String, String> producers) {
        Tuning {
            servers = Map.copyOf(servers);
            producers = Map.copyOf(producers);
        }

        /** Of a broker. */
        Map<String, String> of(Product product) {
            return servers.getOrDefault(product, Map.of());
        }
    }

    /** For the report, by name. */
    SortedMap<String, String> described() {
        SortedMap<String, String> lines = new TreeMap<>();
        lines.put("partitions", Integer.toString(partitions));
        for (Shape each : shapes) {
            lines.put("load " + each.label(), each.described(this));
        }
        lines.put(
                "warm-up",
                format(
                        "until compilers of server and client used less than %.2f of a processor for %d s; %d s at most",
                        QuietCompiler.LITTLE, QuietCompiler.SECONDS, longestWarmUp.toSeconds()));
        lines.put("measured s", Long.toString(measured.toSeconds()));
        lines.put("rounds", Integer.toString(rounds));
        lines.put("cases", cases.stream().map(PeerCase::label).toList().toString());
        rate.ifPresent(each -> lines.put("rate of " + Shape.PACED.label(), each.toString()));
        lines.put("data", work.toString());
        lines.put("servers", String.join(" ", serverOptions));
        lines.put("servers, kafka", String.join(" ", PeerServer.KAFKA_JVM) + " before these");
        lines.put("servers, rocketmq", String.join(" ", PeerServer.ROCKETMQ_JVM) + " before these");
        lines.put("clients", String.join(" ", CLIENT_JVM) + ", a process of its own");
        if (cases.stream().anyMatch(each -> each.clients() == Clients.LEAN)) {
            lines.put(
                    "lean clients", "one thread, a connection for each putter and each getter, a request for each put");
        }
        lines.put("talos puts", tuning.streamedPuts ? "SimpleProducer over streams" : "SimpleProducer by calls");
        lines.put("talos gets", tuning.streamedGets ? "SimpleConsumer over streams" : "SimpleConsumer by calls");
        lines.put("kafka producer", "acks all, linger.ms 0 " + new TreeMap<>(tuning.producers));
        for (Product each : List.of(Product.KAFKA, Product.ROCKETMQ)) {
            lines.put(each.label() + " broker", "defaults " + new TreeMap<>(tuning.of(each)));
        }
        return lines;
    }
}
