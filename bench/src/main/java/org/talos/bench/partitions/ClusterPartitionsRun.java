// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.talos.bench.cluster.Owners;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.MeasuredServers;
import org.talos.bench.partitions.PartitionedTopics.Place;
import org.talos.cli.CommandException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TalosAdmin;

/**
 * The servers of a cluster and their partitions, the same after all have been started again, and without one that is
 * killed. Confined: the main thread.
 */
final class ClusterPartitionsRun {
    private static final Duration PATIENCE = Duration.ofMinutes(15);
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final long PAUSE_MILLIS = 500;
    private static final int CREATED_AT_ONCE = 3;

    private final MeasuredServers servers;
    private final Lines lines;
    private final TimedRequests requests = new TimedRequests();

    /** @param servers that have no topics yet */
    ClusterPartitionsRun(MeasuredServers servers, Lines lines) {
        this.servers = servers;
        this.lines = lines;
    }

    /**
     * Makes partitions, and says what they cost.
     *
     * @param step a message is put into each so manieth partition
     */
    void measure(PartitionedTopics topics, int step, Duration rest)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        RestFigures figures = new RestFigures(requests, rest, lines);
        TopicTraffic traffic = new TopicTraffic(requests, topics, step, lines);
        TalosEndpoint first = servers.get(0).endpoint();
        figures.withoutAny(running());
        try (TalosClient client = new TalosClient(servers.clientConfig().withTimeout(TIMEOUT))) {
            TalosAdmin admin = new TalosAdmin(client.once());
            long creating = System.nanoTime();
            traffic.create(admin, CREATED_AT_ONCE);
            awaitServed(running(), topics.partitions());
            lines.seconds("create", creating, "until all are served");
            traffic.put(endpoints());
            figures.with(running(), topics);
            restartAll(topics, traffic, first);
            figures.with(running(), topics);
            killOne(topics, traffic, admin, first);
        }
    }

    private List<MeasuredServer> running() {
        return servers.each().stream().filter(MeasuredServer::isAlive).toList();
    }

    private List<TalosEndpoint> endpoints() throws CommandException {
        List<TalosEndpoint> all = new ArrayList<>();
        for (MeasuredServer each : servers.each()) {
            all.add(each.endpoint());
        }
        return all;
    }

    private void restartAll(PartitionedTopics topics, TopicTraffic traffic, TalosEndpoint first)
            throws IOException, CommandException, InterruptedException {
        long stopping = System.nanoTime();
        List<MeasuredServer> all = servers.each();
        Together.each(all, all.size(), (server, number) -> {
            var unused = server.stop(PATIENCE);
        });
        lines.seconds("stop", stopping, "until all servers have ended");
        long starting = System.nanoTime();
        Together.each(all, all.size(), (server, number) -> server.start());
        lines.seconds("restart", starting, "until all servers listen");
        awaitServed(running(), topics.partitions());
        lines.seconds("restart", starting, "until all partitions are served");
        traffic.read(first);
        lines.seconds("restart", starting, "until each partition with a message has given it");
    }

    private void killOne(PartitionedTopics topics, TopicTraffic traffic, TalosAdmin admin, TalosEndpoint first)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        MeasuredServer victim = servers.get(servers.each().size() - 1);
        List<Place> sample = placesOf(victim, traffic.filled(), admin, first);
        long killed = System.nanoTime();
        victim.kill();
        lines.line("kill -9", "%s, which had %d of the partitions with a message", victim.id(), sample.size());
        TopicTraffic.Span answered = traffic.awaitAnswers(first, sample, killed, PATIENCE);
        lines.line("takeover", "%.1f s until the first of these gave its message", answered.first());
        lines.line("takeover", "%.1f s until the last did", answered.last());
        awaitServed(running(), topics.partitions());
        lines.seconds("takeover", killed, "at most until the others serve all partitions");
    }

    private static List<Place> placesOf(MeasuredServer server, List<Place> places, TalosAdmin admin, TalosEndpoint by)
            throws IOException, TalosClientException, InterruptedException {
        Map<String, Map<Integer, URI>> owners = new HashMap<>();
        List<Place> owned = new ArrayList<>();
        for (Place each : places) {
            Map<Integer, URI> known = owners.get(each.topic());
            if (known == null) {
                known = new Owners(by, admin.describeTopic(each.topic())).by(by.uri());
                owners.put(each.topic(), known);
            }
            if (server.uri().equals(known.get(each.partition()))) {
                owned.add(each);
            }
        }
        return owned;
    }

    private static void awaitServed(List<MeasuredServer> servers, int partitions)
            throws IOException, InterruptedException {
        long begun = System.nanoTime();
        int served = 0;
        while (served < partitions) {
            served = 0;
            for (MeasuredServer each : servers) {
                served += RestFigures.serving(each);
            }
            if (served < partitions && Lines.seconds(begun) > PATIENCE.toSeconds()) {
                throw new IOException(
                        served + " of " + partitions + " partitions are served after " + PATIENCE.toMinutes() + " min");
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
