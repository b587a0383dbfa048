// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.cluster.Owners;
import org.talos.cli.CommandException;
import org.talos.client.ClientConfig;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.devcluster.FreePorts;
import org.talos.launcher.local.SharedKeys;

/**
 * Several Talos servers of one cluster, each a process of its own at an address of its own, where it can be stopped,
 * killed, and started again. Their metrics and processor times are summed.
 *
 * <p>Confined: one run.
 */
public final class MeasuredServers implements Observable, AutoCloseable {
    private static final Duration PLACED_WITHIN = Duration.ofMinutes(2);
    private static final int PAUSE_MILLIS = 200;

    private final List<MeasuredServer> servers = new ArrayList<>();
    private final Runnable after;

    /** @param after action to run when they have ended */
    private MeasuredServers(Runnable after) {
        this.after = after;
    }

    /**
     * Starts them and waits until they serve.
     *
     * @param mainClass of the server, or of one that puts something into it
     * @param settings of all of them: environment variables without {@code TALOS_}, those for a cluster among them
     * @param folder for their logs
     * @param after action to run when they have ended
     */
    static MeasuredServers start(
            Class<?> mainClass,
            int count,
            List<String> jvm,
            Map<String, String> settings,
            Path work,
            Path folder,
            Runnable after)
            throws IOException {
        MeasuredServers all = new MeasuredServers(after);
        try {
            Map<String, String> environment = new HashMap<>(settings);
            for (int number = 1; number <= count; number++) {
                environment.put("CLUSTER_SERVERID", "server-" + number);
                environment.put("HTTP_PORT", Integer.toString(FreePorts.next()));
                environment.put("TRANSFER_PORT", Integer.toString(FreePorts.next()));
                Path log = folder.resolve("server-" + number + ".log");
                all.servers.add(MeasuredServer.start(List.of(), mainClass, jvm, environment, work, log, all::fill));
            }
            return all;
        } catch (IOException | RuntimeException e) {
            all.close();
            throw e;
        }
    }

    /** A server alone, theirs from now on. */
    public static MeasuredServers of(MeasuredServer alone) {
        MeasuredServers one = new MeasuredServers(() -> {});
        one.servers.add(alone);
        return one;
    }

    private void fill(Path data) throws IOException {
        if (!servers.isEmpty()) {
            SharedKeys.share(servers.get(0).data(), data);
        }
    }

    /** The first of them, and their administrator. */
    public TalosEndpoint endpoint() throws CommandException {
        return servers.get(0).endpoint();
    }

    /** Returns the servers one by one, in the order of their start. */
    public List<MeasuredServer> each() {
        return List.copyOf(servers);
    }

    /** Returns the one of a number from 0 on; after the last one comes the first again. */
    public MeasuredServer get(int number) {
        return servers.get(number % servers.size());
    }

    /** Returns how an SDK reaches them: it goes to the owner of each partition. */
    public ClientConfig clientConfig() throws CommandException {
        return ClientConfig.of(endpoint()).withEndpoints(uris());
    }

    /** Returns their addresses. */
    public List<URI> uris() {
        return servers.stream().map(MeasuredServer::uri).toList();
    }

    /** The owner of each partition of a topic, once each partition has one and each server owns some. */
    public SortedMap<Integer, URI> owners(TopicDescription topic)
            throws IOException, CommandException, InterruptedException {
        Owners asked = new Owners(endpoint(), topic);
        long until = System.nanoTime() + PLACED_WITHIN.toNanos();
        SortedMap<Integer, URI> owners = asked.by(uris().get(0));
        while (owners.size() < topic.partitions() || new HashSet<>(owners.values()).size() < servers.size()) {
            if (System.nanoTime() - until > 0) {
                throw new IOException("partitions are not served by all servers: " + owners);
            }
            Thread.sleep(PAUSE_MILLIS);
            owners = asked.by(uris().get(0));
        }
        return owners;
    }

    /** For each partition, a server that does not own it and so forwards requests for it. */
    public SortedMap<Integer, URI> others(SortedMap<Integer, URI> owners) {
        SortedMap<Integer, URI> others = new TreeMap<>();
        List<URI> all = uris();
        owners.forEach((partition, owner) -> others.put(partition, all.get((all.indexOf(owner) + 1) % all.size())));
        return others;
    }

    @Override
    public ServerMetrics metrics() throws IOException {
        List<ServerMetrics> all = new ArrayList<>();
        for (MeasuredServer each : servers) {
            all.add(each.metrics());
        }
        return ServerMetrics.sum(all);
    }

    @Override
    public double cpuSeconds() {
        return servers.stream().mapToDouble(MeasuredServer::cpuSeconds).sum();
    }

    @Override
    public void close() throws IOException {
        try {
            for (MeasuredServer each : servers) {
                each.close();
            }
        } finally {
            after.run();
        }
    }
}
