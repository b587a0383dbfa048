// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/**
 * Restarts one server after another, the leader last, each only when all servers serve the same partitions as before.
 *
 * <p>Confined: the main thread.
 */
final class RollingRestart {
    private static final Ticker CLOCK = SystemTime.ticker();
    private static final String SERVING = "serving";
    private static final int PAUSE_MILLIS = 250;

    private final CommandContext context;
    private final ClusterCalls calls;
    private final String command;
    private final Duration within;

    /**
     * Creates a restart that has not begun.
     *
     * @param command for a shell, which restarts the server in place of {@code {server}}
     * @param within time until a server must serve again; below {@code cluster.delayRemoved}, so that nothing moves
     */
    RollingRestart(CommandContext context, ClusterCalls calls, String command, Duration within) {
        this.context = context;
        this.calls = calls;
        this.command = command;
        this.within = within;
    }

    /** Returns when all servers have been restarted; fails at the first one that does not serve again. */
    void run() throws IOException, CommandException, InterruptedException {
        JsonNode status = calls.status();
        Map<String, Long> partitions = partitions(status);
        List<String> order = new ArrayList<>(partitions.keySet());
        String leader = status.get("leader").textValue();
        if (order.remove(leader)) {
            order.add(leader); // so that it changes only once
        }
        requireAllServe(status);
        for (String server : order) {
            context.line("restarting " + server);
            restart(server);
            awaitAsBefore(server, partitions);
        }
        context.line("restarted " + order.size() + " servers; no partition moved");
    }

    private static Map<String, Long> partitions(JsonNode status) {
        Map<String, Long> partitions = new TreeMap<>();
        for (JsonNode each : status.get("servers")) {
            partitions.put(
                    each.get("server").textValue(), each.get("partitions").longValue());
        }
        return partitions;
    }

    private static boolean allServe(JsonNode status) {
        for (JsonNode each : status.get("servers")) {
            if (!each.get("state").textValue().equals(SERVING)) {
                return false;
            }
        }
        return true;
    }

    private static void requireAllServe(JsonNode status) throws CommandException {
        if (!allServe(status)) {
            throw new CommandException("not all servers serve: bin/talos cluster status");
        }
    }

    private void restart(String server) throws IOException, CommandException, InterruptedException {
        int exit = new ProcessBuilder("sh", "-c", command.replace("{server}", server))
                .inheritIO()
                .start()
                .waitFor();
        if (exit != 0) {
            throw new CommandException("the command for " + server + " ended with " + exit + "; nothing else is done");
        }
    }

    private void awaitAsBefore(String server, Map<String, Long> partitions)
            throws IOException, CommandException, InterruptedException {
        long until = CLOCK.nanos() + within.toNanos();
        String last = "";
        while (CLOCK.nanos() - until < 0) {
            try {
                JsonNode status = calls.status();
                if (allServe(status) && partitions(status).equals(partitions)) {
                    return;
                }
                last = "servers: " + partitions(status);
            } catch (IOException e) {
                last = e.toString(); // the called server is the one that restarts
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        throw new CommandException(server + " does not serve as before within " + within.toSeconds() + " s (" + last
                + "); nothing else is done");
    }
}
