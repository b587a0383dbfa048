// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.talos.check.workload.Workload;
import org.talos.cli.CommandException;
import org.talos.client.TalosEndpoint;
import org.talos.launcher.cluster.ClusterCalls;

/**
 * Sends operator commands to the cluster, repeated until a server accepts them, since the first one tried may be under
 * a fault. If none does for a minute, the check fails.
 *
 * <p>Confined: the main thread.
 */
final class Operators {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int PAUSE_MILLIS = 250;
    private static final String MOVES = "/moves";

    private final ClusterCalls calls;

    /** @param endpoints of all servers, with an administrator's key */
    Operators(List<TalosEndpoint> endpoints) {
        calls = new ClusterCalls(endpoints);
    }

    /** A call of the cluster API. */
    @FunctionalInterface
    private interface Call<T> {
        T answer() throws IOException, CommandException, InterruptedException;
    }

    /** Waits until there is a leader, and returns it. */
    String leader() throws IOException, InterruptedException {
        return until("a leader", () -> {
            String leader = calls.status().get("leader").textValue();
            if (leader.isEmpty()) {
                throw new IOException("nobody leads");
            }
            return leader;
        });
    }

    void move(int partition, String server) throws IOException, InterruptedException {
        wish("POST", MOVES, body(Workload.TOPIC, partition, server));
    }

    private static String body(String topic, int partition, String server) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("topic", topic)
                .put("partition", partition)
                .put("server", server)
                .toString();
    }

    /** Moves a partition of a topic that comes and goes; false if there was none to move, or no server would. */
    @CanIgnoreReturnValue
    boolean moveIfThere(String topic, int partition, String server) throws InterruptedException {
        try {
            calls.wish("POST", MOVES, body(topic, partition, server));
            return true;
        } catch (IOException | CommandException e) {
            return false;
        }
    }

    void rebalance() throws IOException, InterruptedException {
        wish("POST", "/rebalance", "");
    }

    void drain(String server) throws IOException, InterruptedException {
        wish("PUT", "/servers/" + server + "/drain", "");
    }

    void resume(String server) throws IOException, InterruptedException {
        wish("DELETE", "/servers/" + server + "/drain", "");
    }

    private void wish(String method, String path, String body) throws IOException, InterruptedException {
        var unused = until(method + " " + path, () -> {
            calls.wish(method, path, body);
            return true;
        });
    }

    /** Returns when every server says that it serves. */
    void awaitAllServe() throws IOException, InterruptedException {
        var unused = until("that all serve", () -> {
            JsonNode status = calls.status();
            for (JsonNode each : status.get("servers")) {
                if (!each.get("state").textValue().equals("serving")) {
                    throw new IOException("not all serve: " + status.get("servers"));
                }
            }
            return true;
        });
    }

    private static <T> T until(String what, Call<T> call) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        while (true) {
            try {
                return call.answer();
            } catch (IOException | CommandException e) {
                if (System.nanoTime() - begun > PATIENCE_NANOS) {
                    throw new IOException("no server would do for a minute: " + what, e);
                }
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
