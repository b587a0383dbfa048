// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.load.ClosedLoop;
import org.talos.bench.load.FilledTopic;
import org.talos.bench.load.MeasuredServers;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.RepeatedCalls;
import org.talos.bench.load.SignedPuts;
import org.talos.cli.CommandException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;

/**
 * Measures the servers of one version on a development cluster, and keeps the topics that its clients have filled.
 *
 * <p>Confined: the main thread.
 */
final class VersionOnCluster implements AutoCloseable {
    private final MeasuredServers servers;
    private final Via via;
    private final int size;
    private final int puts;
    private final int gets;
    private final List<TopicDescription> topics = new ArrayList<>();
    private final List<SortedMap<Integer, URI>> ways = new ArrayList<>(); // of each topic's partitions

    /** The server to which a client sends the requests for a partition. */
    enum Via {
        /** To the server that serves it, as SDKs do once they know it. */
        OWNER,
        /** To any of them, evenly, as by a load balancer; a server that is not the owner forwards the request. */
        ANY
    }

    /**
     * Creates the load of these servers; sends nothing yet.
     *
     * @param servers of the version, this object's from now on
     * @param size bytes of a message
     * @param puts a second of each client; 0 for the next as soon as the last was answered
     * @param gets a second of each client, at most
     */
    VersionOnCluster(MeasuredServers servers, Via via, int size, int puts, int gets) {
        this.servers = servers;
        this.via = via;
        this.size = size;
        this.puts = puts;
        this.gets = gets;
    }

    MeasuredServers servers() {
        return servers;
    }

    /** Measures so many clients. */
    PutGetLoad load(int clients, Duration warmUp, Duration measured)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        TalosEndpoint endpoint = servers.endpoint();
        Credential credential = new Credential(endpoint.accessKey(), endpoint.secretKey());
        PutGetLoad load = new PutGetLoad(endpoint.uri(), warmUp, measured);
        for (int number = 0; number < clients; number++) {
            if (number == topics.size()) {
                addTopic(new TalosClient(endpoint));
            }
            TopicDescription topic = topics.get(number);
            int seed = number;
            load.add(
                    "put",
                    ways.get(number),
                    to -> SignedPuts.toAll(topic, to.getAuthority(), credential, size, seed),
                    new ClosedLoop.Pace(puts, false));
            load.add(
                    "get",
                    ways.get(number),
                    to -> RepeatedCalls.gets(topic, to.getAuthority(), credential, Talos216Command.KEPT),
                    ClosedLoop.Pace.atMost(gets));
        }
        return load;
    }

    private void addTopic(TalosClient client)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        TopicDescription topic = FilledTopic.make(
                client, "client" + (topics.size() + 1), Talos216Command.PARTITIONS, Talos216Command.KEPT, size);
        topics.add(topic);
        SortedMap<Integer, URI> owners = servers.owners(topic);
        ways.add(via == Via.OWNER ? owners : evenly(owners));
    }

    /** Assigns partitions to all servers evenly, so that each owner is sent one for each group of its own. */
    private SortedMap<Integer, URI> evenly(SortedMap<Integer, URI> owners) {
        List<URI> all = servers.uris();
        int[] next = new int[all.size()];
        SortedMap<Integer, URI> ways = new TreeMap<>();
        owners.forEach((partition, owner) -> {
            int of = all.indexOf(owner);
            ways.put(partition, all.get((of + next[of]++) % all.size()));
        });
        return ways;
    }

    @Override
    public void close() throws IOException {
        servers.close();
    }
}
