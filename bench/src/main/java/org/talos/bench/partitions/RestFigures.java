// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.talos.bench.partitions.TimedRequests.Timed;
import org.talos.launcher.local.ServerState;
import org.talos.launcher.local.SpawnedServer;

/** Compares the costs of servers that nobody uses with their costs without partitions. Confined: the main thread. */
final class RestFigures {
    private static final Duration SETTLE = Duration.ofSeconds(5);

    private final TimedRequests requests;
    private final Duration rest;
    private final Lines lines;
    private final Map<String, ServerState> empty = new HashMap<>();

    /** @param rest how long nothing happens while processor time is measured */
    RestFigures(TimedRequests requests, Duration rest, Lines lines) {
        this.requests = requests;
        this.rest = rest;
        this.lines = lines;
    }

    /** Servers that have no partitions yet, with which later ones of their names are compared. */
    void withoutAny(List<MeasuredProcess> servers) throws IOException, InterruptedException {
        tellCpu(servers);
        for (MeasuredProcess each : servers) {
            ServerState state = ServerState.of(each.process());
            empty.put(each.name(), state);
            lines.line("without any", "%s", described(each.name(), state));
        }
    }

    private void tellCpu(List<MeasuredProcess> servers) throws IOException, InterruptedException {
        Thread.sleep(SETTLE.toMillis());
        List<Duration> before = servers.stream()
                .map(MeasuredProcess::process)
                .map(SpawnedServer::cpu)
                .toList();
        Thread.sleep(rest.toMillis());
        for (int i = 0; i < servers.size(); i++) {
            MeasuredProcess server = servers.get(i);
            Duration cpu = server.process().cpu().minus(before.get(i));
            double percent = 100.0 * cpu.toMillis() / rest.toMillis();
            lines.line("cpu", "%.2f %% of one processor at rest, %s; load %.1f", percent, server.name(), load());
        }
    }

    /** The same servers with their partitions; one of the topics is looked at. */
    void with(List<MeasuredProcess> servers, PartitionedTopics topics) throws IOException, InterruptedException {
        tellCpu(servers);
        MeasuredProcess first = servers.get(0);
        described("describe", requests.get(first.endpoint(), "/v1/topics/" + topics.name(0)), "one topic of");
        described("list", requests.get(first.endpoint(), "/v1/topics"), "all topics in");
        for (MeasuredProcess each : servers) {
            URI page = each.management().resolve("/metrics");
            described("metrics", requests.get(page), each.name() + ", a page of");
            tell(each);
        }
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private void described(String about, Timed answer, String what) throws IOException {
        lines.line(about, "%.0f ms, %s %d bytes", answer.good().millis(), what, answer.bytes());
    }

    private void tell(MeasuredProcess server) throws IOException {
        ServerState now = ServerState.of(server.process());
        ServerState before = empty.getOrDefault(server.name(), now);
        int partitions = Math.max(1, server.serving());
        lines.line(
                "with them",
                "%s: %d and %d bytes for each of %d partitions",
                described(server.name(), now),
                (now.heapBytes() - before.heapBytes()) / partitions,
                (now.residentBytes() - before.residentBytes()) / partitions,
                partitions);
    }

    private static String described(String name, ServerState state) {
        return String.format(
                Locale.ROOT,
                "%s, %d MiB heap alive, %d MiB resident, %d threads, %d open files",
                name,
                state.heapBytes() >> 20,
                state.residentBytes() >> 20,
                state.threads(),
                state.openFiles());
    }
}
