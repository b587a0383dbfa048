// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.transfer;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.load.ClosedLoop;
import org.talos.bench.load.ClusterUnderLoad;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServers;
import org.talos.bench.load.Observed;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.report.Measure;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;

/**
 * Measures two servers on a development cluster: puts sent to the owner of each partition, and the same puts sent to
 * the other server, which forwards them. Processor time is that of both servers, without what they use at rest.
 *
 * <p>Confined: the main thread.
 */
final class WholeServers {
    static final String STRAIGHT = "straight to the owner";
    static final String HOP = "by the other server";

    private static final int SERVERS = 2;
    private static final int REST_MILLIS = 3_000;
    /** A short retention, since nothing is read and disks are small. */
    private static final Map<String, String> SETTINGS = Map.of(
            "LOG_SEGMENTBYTES", "32MiB",
            "LOG_RETENTIONBYTESPERPARTITION", "32MiB",
            "LOG_RETENTIONINTERVAL", "5s");

    private final MeasuredServers servers;
    private final TopicDescription topic;
    private final SortedMap<Integer, URI> owners;
    private final Times times;
    private final int bytes;
    private double restingCores;

    /**
     * Creates the topic, and waits until its partitions are served.
     *
     * @param partitions each with one put in flight
     * @param bytes of a put
     */
    WholeServers(MeasuredServers servers, int partitions, int bytes, Times times)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        this.servers = servers;
        this.times = times;
        this.bytes = bytes;
        topic = servers.get(0).topic("transfer", partitions);
        owners = servers.owners(topic);
    }

    /** Starts the servers. */
    static MeasuredServers start(ClusterUnderLoad cluster) throws IOException, CommandException {
        return cluster.servers("servers", SERVERS, SETTINGS);
    }

    /** Warms up both cases, then measures the processor time of idle servers. */
    void warmUp(Times before) throws IOException, CommandException, InterruptedException {
        for (SortedMap<Integer, URI> ways : List.of(owners, servers.others(owners))) {
            var unused = run(ways, 0, before, new Observed(servers));
        }
        Observed rest = new Observed(servers);
        rest.opened();
        Thread.sleep(REST_MILLIS);
        rest.closed();
        restingCores = rest.busyCores();
    }

    List<Measure> straight(int round) throws IOException, CommandException {
        return measure(STRAIGHT, round, owners);
    }

    List<Measure> forwarded(int round) throws IOException, CommandException {
        return measure(HOP, round, servers.others(owners));
    }

    private List<Measure> measure(String caseName, int round, SortedMap<Integer, URI> ways)
            throws IOException, CommandException {
        Observed observed = new Observed(servers);
        LoadResult result = run(ways, round, times, observed);
        double cpu = observed.cpuSeconds() - restingCores * times.measured().toNanos() / 1e9;
        double micros = cpu * 1e6 / result.latency().getTotalCount();
        return List.of(result.measure(caseName, round, "put", new TreeMap<>(Map.of(TransferCommand.CPU, micros))));
    }

    private LoadResult run(SortedMap<Integer, URI> ways, int seed, Times during, Observed observed)
            throws IOException, CommandException {
        Credential credential = servers.get(0).credential();
        return new PutGetLoad(servers.uris().get(0), during.warmUp(), during.measured())
                .add(
                        "put",
                        ways,
                        to -> SignedPuts.toAll(topic, to.getAuthority(), credential, bytes, seed),
                        ClosedLoop.Pace.NONE)
                .runOne(observed);
    }
}
