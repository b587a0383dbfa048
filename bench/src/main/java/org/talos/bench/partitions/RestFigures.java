// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.partitions.TimedRequests.Timed;
import org.talos.cli.CommandException;
import org.talos.launcher.local.ServerState;

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
    void withoutAny(List<MeasuredServer> servers) throws IOException, InterruptedException {
        tellCpu(servers);
        for (MeasuredServer each : servers) {
            ServerState state = each.state();
            empty.put(name(each), state);
            lines.line("without any", "%s", described(name(each), state));
        }
    }

    private void tellCpu(List<MeasuredServer> servers) throws IOException, InterruptedException {
        Thread.sleep(SETTLE.toMillis());
        List<Double> before = servers.stream().map(MeasuredServer::cpuSeconds).toList();
        Thread.sleep(rest.toMillis());
        for (int i = 0; i < servers.size(); i++) {
            MeasuredServer server = servers.get(i);
            double percent = 100_000 * (server.cpuSeconds() - before.get(i)) / rest.toMillis();
            lines.line("cpu", "%.2f %% of one processor while idle, %s; load %.1f", percent, name(server), load());
        }
    }

    /** The same servers with their partitions; one of the topics is looked at. */
    void with(List<MeasuredServer> servers, PartitionedTopics topics)
            throws IOException, CommandException, InterruptedException {
        tellCpu(servers);
        MeasuredServer first = servers.get(0);
        described("describe", requests.get(first.endpoint(), "/v1/topics/" + topics.name(0)), "one topic of");
        described("list", requests.get(first.endpoint(), "/v1/topics"), "all topics in");
        for (MeasuredServer each : servers) {
            URI page = each.management().resolve("/metrics");
            described("metrics", requests.get(page), name(each) + ", a page of");
            tell(each);
        }
    }

    private static String name(MeasuredServer server) {
        return server.id().isEmpty() ? "server" : server.id();
    }

    /** How many partitions a server serves, as it says. */
    static int serving(MeasuredServer server) throws IOException {
        double serving = server.metrics().value("talos_partitions{state=\"serving\"}");
        return Double.isNaN(serving) ? 0 : (int) serving;
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private void described(String about, Timed answer, String what) throws IOException {
        lines.line(about, "%.0f ms, %s %d bytes", answer.good().millis(), what, answer.bytes());
    }

    private void tell(MeasuredServer server) throws IOException {
        ServerState now = server.state();
        ServerState before = empty.getOrDefault(name(server), now);
        int partitions = Math.max(1, serving(server));
        lines.line(
                "with them",
                "%s: %d and %d bytes for each of %d partitions",
                described(name(server), now),
                (now.heapBytes() - before.heapBytes()) / partitions,
                (now.residentBytes() - before.residentBytes()) / partitions,
                partitions);
    }

    private static String described(String name, ServerState state) {
        return format(
                "%s, %d MiB heap alive, %d MiB resident, %d threads, %d open files",
                name, state.heapBytes() >> 20, state.residentBytes() >> 20, state.threads(), state.openFiles());
    }
}
