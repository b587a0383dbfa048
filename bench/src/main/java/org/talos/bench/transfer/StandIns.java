// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.transfer;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.Observed;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.report.Measure;
import org.talos.bench.variant.TransferPools;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.launcher.local.ServerCertificates;
import org.talos.server.Main;
import org.talos.server.partition.serving.PartitionRequests;

/**
 * Measures forwarding alone: both ends are in this process, and the owner stores nothing, so that neither storage nor
 * the contention of several servers on one machine is included. For comparison, a put to a server with the local store.
 *
 * <p>Confined: the main thread.
 */
final class StandIns {
    static final String HOP = "the hop alone";
    static final String HOP_POOL = "the hop alone, a pool";
    static final String HOP_TLS = "the hop alone, TLS";
    static final String LOCAL = "straight, local store";
    static final Duration SLOW = Duration.ofSeconds(5);

    private final Times times;
    private final int bytes;
    private final int inFlight;

    StandIns(Times times, int bytes, int inFlight) {
        this.times = times;
        this.bytes = bytes;
        this.inFlight = inFlight;
    }

    /** Measures a whole put: signature, decoding, dispatch, journal; processor time is the server's alone. */
    List<Measure> local(int round, Path work, Path log) throws IOException, CommandException, TalosClientException {
        try (MeasuredServer server =
                MeasuredServer.start(Main.class, List.of("-Xmx1g"), Map.of("LOG_DURABILITY", "flush"), work, log)) {
            TopicDescription topic = server.topic("transfer", inFlight);
            Observed observed = new Observed(server);
            LoadResult result = new PutGetLoad(server.uri(), times.warmUp(), times.measured())
                    .add("put", server.puts(topic, bytes, round), 0)
                    .runOne(observed);
            double each = observed.cpuSeconds() * 1e6 / result.latency().getTotalCount();
            return List.of(result.measure(LOCAL, round, "put", new TreeMap<>(Map.of(TransferCommand.CPU, each))));
        }
    }

    /** Measures forwarding; processor time is that of both ends. */
    List<Measure> forwarded(int round) throws IOException, InterruptedException {
        return forwarded(HOP, TransferPools.MULTIPLEXED, round, Optional.empty());
    }

    /** Measures the same with a thread and a connection for each request. */
    List<Measure> pooled(int round) throws IOException, InterruptedException {
        return forwarded(HOP_POOL, TransferPools.PER_HOST, round, Optional.empty());
    }

    /** Measures the same with mutual TLS between the ends. */
    List<Measure> forwarded(int round, ServerCertificates certificates) throws IOException, InterruptedException {
        return forwarded(HOP_TLS, TransferPools.MULTIPLEXED, round, Optional.of(certificates));
    }

    private List<Measure> forwarded(
            String caseName, TransferPools pools, int round, Optional<ServerCertificates> certificates)
            throws IOException, InterruptedException {
        try (Servers servers = new Servers(pools, certificates)) {
            PutsInFlight puts = new PutsInFlight(servers.answeringAfter(Duration.ZERO), bytes);
            puts.begin(inFlight);
            Thread.sleep(times.warmUp().toMillis());
            puts.measure();
            long cpu = -processCpuNanos();
            Thread.sleep(times.measured().toMillis());
            cpu += processCpuNanos();
            double each = cpu / 1e3 / puts.measured();
            SortedMap<String, Double> figures = new TreeMap<>(Map.of(TransferCommand.CPU, each));
            return List.of(puts.end(caseName, round, "put", times.measuredSeconds(), figures));
        }
    }

    private static long processCpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    /**
     * Puts to two servers that answer at once, while a third gets none, or gets many and is slow.
     *
     * @param slowInFlight puts in flight to the slow one
     */
    List<Measure> slowServer(TransferPools pools, int slowInFlight, int round)
            throws IOException, InterruptedException {
        try (Servers servers = new Servers(pools, Optional.empty())) {
            PartitionRequests third = servers.answeringAfter(SLOW);
            List<PutsInFlight> others = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                others.add(new PutsInFlight(servers.answeringAfter(Duration.ZERO), bytes));
            }
            new PutsInFlight(third, bytes).begin(slowInFlight);
            others.forEach(each -> each.begin(inFlight));
            Thread.sleep(times.warmUp().toMillis());
            others.forEach(PutsInFlight::measure);
            Thread.sleep(times.measured().toMillis());
            List<Measure> measures = new ArrayList<>();
            for (int i = 0; i < others.size(); i++) {
                measures.add(others.get(i)
                        .end(
                                name(pools, slowInFlight > 0),
                                round,
                                "put to server " + (i + 1),
                                times.measuredSeconds(),
                                new TreeMap<>()));
            }
            return measures;
        }
    }

    static String pools(TransferPools pools) {
        return switch (pools) {
            case PER_HOST -> "a pool for each";
            case MULTIPLEXED -> "one connection for each";
            case SHARED -> "one pool for all";
        };
    }

    static String name(TransferPools pools, boolean slow) {
        return pools(pools) + (slow ? ", one slow" : ", none slow");
    }
}
