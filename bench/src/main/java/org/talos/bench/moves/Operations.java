// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.MeasuredServers;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;

/**
 * Does to servers under load what operators and accidents do, one after another, and notes how long each partition was
 * without a server.
 *
 * <p>Confined: the main thread.
 */
final class Operations {
    private static final int MOVES = 10;
    private static final int QUIET_MILLIS = 3_000;
    private static final int NOTHING_MILLIS = 10_000;

    private final MeasuredServers servers;
    private final ServiceView view;
    private final PacedPuts load;
    private final MovesResults results;
    private final CommandContext context;

    Operations(
            MeasuredServers servers, ServiceView view, PacedPuts load, MovesResults results, CommandContext context) {
        this.servers = servers;
        this.view = view;
        this.load = load;
        this.results = results;
        this.context = context;
    }

    /** Something that is done to the servers, until it has come about. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException, CommandException, InterruptedException;
    }

    /** All of them once, moves and restarts several times; each server has its turn in another round. */
    void run(int round) throws IOException, CommandException, InterruptedException {
        MeasuredServer server = servers.get(round);
        measured(Operation.NOTHING, round, null, () -> Thread.sleep(NOTHING_MILLIS));
        for (int number = 0; number < MOVES; number++) {
            move(round, (round - 1) * MOVES + number);
        }
        measured(Operation.DRAIN, round, server, () -> {
            view.drain(server);
            view.await(server.id() + " is drained", now -> !now.containsValue(server.uri()));
        });
        measured(Operation.RESUME, round, null, () -> {
            view.resume(server);
            view.awaitShare(server);
        });
        for (MeasuredServer each : leaderLast()) {
            measured(Operation.RESTART, round, each, each::restart);
        }
        measured(Operation.KILL, round, server, () -> {
            server.kill();
            view.await(server.id() + "'s partitions are others'", now -> !now.containsValue(server.uri()));
        });
        measured(Operation.RETURN, round, null, () -> {
            server.start();
            view.awaitShare(server);
        });
        measured(Operation.KILL_AND_START, round, server, () -> {
            server.kill();
            server.start();
        });
    }

    private void move(int round, int number) throws IOException, CommandException, InterruptedException {
        SortedMap<Integer, URI> owners = view.owners();
        int partition = number % owners.size();
        List<MeasuredServer> others = servers.each().stream()
                .filter(each -> !each.uri().equals(owners.get(partition)))
                .toList();
        MeasuredServer to = others.get(number % others.size());
        measured(Operation.MOVE, round, null, () -> {
            view.move(partition, to);
            view.await("partition " + partition + " moves", now -> to.uri().equals(now.get(partition)));
        });
    }

    private List<MeasuredServer> leaderLast() throws IOException, CommandException, InterruptedException {
        String leader = view.leader();
        List<MeasuredServer> order = new ArrayList<>(servers.each());
        order.sort((one, other) ->
                Boolean.compare(one.id().equals(leader), other.id().equals(leader)));
        return order;
    }

    /**
     * Affected are the partitions that have another owner afterwards, and those of the server to which it is done.
     *
     * @param server null if it is done to none
     */
    private void measured(Operation operation, int round, @Nullable MeasuredServer server, Step step)
            throws IOException, CommandException, InterruptedException {
        Thread.sleep(QUIET_MILLIS);
        SortedMap<Integer, URI> before = view.owners();
        long begun = System.nanoTime();
        step.run();
        load.awaitAcknowledged(System.nanoTime());
        long ended = System.nanoTime();
        SortedMap<Integer, URI> after = view.owners();
        List<Long> affected = new ArrayList<>();
        List<Long> others = new ArrayList<>();
        before.forEach((partition, owner) -> {
            boolean touched = operation == Operation.NOTHING
                    || !owner.equals(after.get(partition))
                    || (server != null && owner.equals(server.uri()));
            (touched ? affected : others).add(load.nanosWithout(partition, begun, ended));
        });
        Outages outages = new Outages(operation, round, affected, others);
        results.add(outages);
        context.line(outages.line());
    }
}
