// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.cluster.Owners;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.MeasuredServers;
import org.talos.cli.CommandException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.launcher.cluster.ClusterCalls;

/**
 * Shows the servers as an operator sees them, and gives them commands. Any server that answers is asked. A wait is for
 * five minutes at most.
 *
 * <p>Confined: the main thread.
 */
final class ServiceView {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration STEADY = Duration.ofSeconds(5);
    private static final int LOOK_MILLIS = 100;

    private final MeasuredServers servers;
    private final TopicDescription topic;
    private final ClusterCalls calls;
    private final Owners owners;

    ServiceView(MeasuredServers servers, TopicDescription topic) throws CommandException {
        this.servers = servers;
        this.topic = topic;
        TalosEndpoint administrator = servers.get(0).endpoint();
        calls = new ClusterCalls(servers.each().stream()
                .map(each -> new TalosEndpoint(
                        each.uri(), administrator.accessKey(), administrator.secretKey(), administrator.timeout()))
                .toList());
        owners = new Owners(administrator, topic);
    }

    /** Something that becomes true. */
    @FunctionalInterface
    interface Condition {
        /** Returns whether it is true by now. */
        boolean holds(SortedMap<Integer, URI> owners);
    }

    void move(int partition, MeasuredServer to) throws IOException, CommandException, InterruptedException {
        String body = JsonNodeFactory.instance
                .objectNode()
                .put("topic", topic.name())
                .put("partition", partition)
                .put("server", to.id())
                .toString();
        calls.wish("POST", "/moves", body);
    }

    void drain(MeasuredServer server) throws IOException, CommandException, InterruptedException {
        calls.wish("PUT", "/servers/" + server.id() + "/drain", "");
    }

    void resume(MeasuredServer server) throws IOException, CommandException, InterruptedException {
        calls.wish("DELETE", "/servers/" + server.id() + "/drain", "");
        calls.wish("POST", "/rebalance", "");
    }

    /** The server that leads the others; the first one's id if nobody does at the moment. */
    String leader() throws IOException, CommandException, InterruptedException {
        String leader = calls.status().get("leader").textValue();
        return leader.isEmpty() ? servers.get(0).id() : leader;
    }

    /** Waits until all partitions have owners, and these are as they should be. */
    void await(String what, Condition condition) throws IOException, InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        SortedMap<Integer, URI> now = owners();
        while (now.size() < topic.partitions() || !condition.holds(now)) {
            if (System.nanoTime() - until > 0) {
                throw new IOException("not within " + PATIENCE.toMinutes() + " min: " + what + ", owners: " + now);
            }
            Thread.sleep(LOOK_MILLIS);
            now = owners();
        }
    }

    /** Waits until the server owns some partitions and nothing has changed for a while. */
    void awaitShare(MeasuredServer server) throws IOException, InterruptedException {
        Steady steady = new Steady();
        await(server.id() + " has its share", now -> now.containsValue(server.uri()) && steady.since(now));
    }

    /** Waits until each server owns some partitions and nothing has changed for a while. */
    void awaitPlaced() throws IOException, InterruptedException {
        Steady steady = new Steady();
        Set<URI> all = new HashSet<>(servers.uris());
        await("each server has its share", now -> new HashSet<>(now.values()).equals(all) && steady.since(now));
    }

    /** Tells whether owners are the same for a while. Confined: one wait. */
    private static final class Steady {
        private SortedMap<Integer, URI> last = new TreeMap<>();
        private long since = System.nanoTime();

        boolean since(SortedMap<Integer, URI> now) {
            if (!now.equals(last)) {
                last = now;
                since = System.nanoTime();
            }
            return System.nanoTime() - since > STEADY.toNanos();
        }
    }

    /** The owners of the partitions that have one, by the first server that answers. */
    SortedMap<Integer, URI> owners() throws IOException, InterruptedException {
        IOException failure = new IOException("there is no server");
        for (MeasuredServer each : servers.each()) {
            try {
                return owners.by(each.uri());
            } catch (IOException e) {
                failure = e;
            }
        }
        throw failure;
    }
}
