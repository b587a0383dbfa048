// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The settings of a measurement of client libraries. Immutable.
 *
 * @param bytes of all messages that are put and got, once to warm up and once measured
 * @param kafka of its producer, by Kafka's names
 * @param tls whether Talos is measured with and without TLS, and alone
 * @param kafkaJars folder of the module that collects them; empty to measure Talos alone
 * @param work folder for the servers' data
 */
record SdkSettings(
        List<SdkCase> cases,
        long bytes,
        int rounds,
        boolean tls,
        Map<String, String> kafka,
        Optional<Path> kafkaJars,
        Path work) {
    static final int PARTITIONS = 16;

    /** Of all processes: servers and clients of both libraries. */
    static final List<String> JVM = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");

    static final String DURABILITY = "flush";

    SdkSettings {
        cases = List.copyOf(cases);
        kafka = Map.copyOf(kafka);
    }

    List<ClientLibrary> libraries() {
        if (tls) {
            return List.of(ClientLibrary.TALOS, ClientLibrary.TALOS_TLS);
        }
        return kafkaJars.isPresent() ? List.of(ClientLibrary.TALOS, ClientLibrary.KAFKA) : List.of(ClientLibrary.TALOS);
    }

    /** Returns how many messages are put, got, and measured. */
    long messages(SdkCase of) {
        return Math.max(1, bytes / of.size());
    }

    /** For the report, by name. */
    SortedMap<String, String> described() {
        SortedMap<String, String> lines = new TreeMap<>();
        lines.put("cases", cases.stream().map(SdkCase::label).toList().toString());
        lines.put("MiB", (bytes >> 20) + ", put and got to warm up, and once more measured");
        lines.put("partitions", Integer.toString(PARTITIONS));
        lines.put("rounds", Integer.toString(rounds));
        lines.put("processes", String.join(" ", JVM) + ", servers and clients alike");
        lines.put("talos server", "durability " + DURABILITY);
        lines.put("talos producer", "defaults");
        lines.put("talos consumer", "defaults, but balanceInterval 1 s");
        lines.put("talos-tls", tls ? "the same under TLS, by the JDK" : "not measured");
        lines.put("kafka server", kafkaJars.isPresent() && !tls ? "one broker, defaults" : "not measured");
        lines.put("kafka producer", "defaults, acks all" + (kafka.isEmpty() ? "" : ", " + new TreeMap<>(kafka)));
        lines.put("kafka consumer", "defaults");
        lines.put("data", work.toString());
        return lines;
    }
}
