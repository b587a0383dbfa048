// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.zookeeper.SimulatedZooKeeper;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.partition.serving.SimulatedPartitions;
import org.talos.server.simulation.MemoryRows;
import org.talos.server.simulation.Scheduler;
import org.talos.server.storage.LogId;
import org.talos.server.storage.hdfs.SimulatedHdfs;

/**
 * The parts that all servers of a run share, and the network between them.
 *
 * <p>Confined: the simulation's thread.
 */
final class World {
    private static final long SECOND = 1_000_000_000L;

    private final Random random;
    private final Scheduler scheduler;
    private final SimulatedZooKeeper zooKeeper;
    private final SimulatedHdfs hdfs;
    private final MemoryRows rows = new MemoryRows();
    private final Faults faults;
    private final List<SimulatedServer> running = new ArrayList<>(); // in the order of their starts
    private final Map<String, SimulatedServer> servers = new TreeMap<>(); // the process that has an id, or had it last
    private Consumer<SimulatedServer> onReplaced = server -> {};
    private long upNanos; // time in which a server was up

    World(Random random, List<String> history) {
        this.random = random;
        scheduler = new Scheduler(random, history, SECOND);
        zooKeeper = new SimulatedZooKeeper(scheduler::nanos);
        hdfs = new SimulatedHdfs(random, () -> upNanos);
        faults = new Faults(random);
        expireRegularly();
    }

    private void expireRegularly() {
        scheduler.outside().after(SECOND / 2, () -> {
            zooKeeper.expire();
            if (up().stream().anyMatch(server -> !server.process.isPaused())) {
                upNanos += SECOND / 2;
            }
            expireRegularly();
        });
    }

    Random random() {
        return random;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    SimulatedZooKeeper zooKeeper() {
        return zooKeeper;
    }

    SimulatedHdfs hdfs() {
        return hdfs;
    }

    MemoryRows rows() {
        return rows;
    }

    Faults faults() {
        return faults;
    }

    void add(SimulatedServer server) {
        running.add(server);
        servers.put(server.id, server);
    }

    /** Ends a process. Its id is that of another process that has it, if there is one. */
    void end(SimulatedServer server) {
        scheduler.end(server.process);
        running.remove(server);
        ofId(server.id).forEach(other -> servers.put(other.id, other));
    }

    private Stream<SimulatedServer> ofId(String id) {
        return running.stream().filter(each -> each.id.equals(id));
    }

    /** The processes that have not ended: two of one id, if somebody started a second one. */
    List<SimulatedServer> running() {
        return List.copyOf(running);
    }

    /** Returns whether another process of the same id was started since, and runs. */
    boolean isReplaced(SimulatedServer server) {
        return running.contains(server) && isRunning(server.id) && servers.get(server.id) != server;
    }

    /** A process has joined the cluster for the first time: others of its id are members no longer. */
    void joined(SimulatedServer server) {
        ofId(server.id).filter(other -> other != server).forEach(SimulatedServer::overtaken);
    }

    /** Returns whether a process has this id. */
    boolean isRunning(String id) {
        return ofId(id).findAny().isPresent();
    }

    /** Sets the listener for processes that have lost their id to another process. */
    void whenReplaced(Consumer<SimulatedServer> listener) {
        onReplaced = listener;
    }

    /** A process has learned that another one has its id: it ends soon. */
    void onReplaced(SimulatedServer server) {
        scheduler.note("REPLACED " + server.owner);
        scheduler.outside().after(SECOND / 5, () -> onReplaced.accept(server));
    }

    /** The last process of a server. */
    Optional<SimulatedServer> server(String id) {
        return Optional.ofNullable(servers.get(id));
    }

    List<SimulatedServer> servers() {
        return new ArrayList<>(servers.values());
    }

    List<SimulatedServer> up() {
        return running.stream().filter(SimulatedServer::isUp).toList();
    }

    /** One of them; none if there are none. */
    <T> Optional<T> any(List<T> of) {
        return of.isEmpty() ? Optional.empty() : Optional.of(of.get(random.nextInt(of.size())));
    }

    /** Returns the requests of one server to another. */
    PartitionRequests hop(SimulatedServer from, String to) {
        return new Hop(from, to);
    }

    /**
     * Requests from one server to another, in place of the transfer port: each takes its time, may be cut on its way or
     * on its way back, and is answered by its deadline here. Confined: the simulation's thread.
     */
    private final class Hop implements PartitionRequests {
        private final SimulatedServer from;
        private final String to;

        Hop(SimulatedServer from, String to) {
            this.from = from;
            this.to = to;
        }

        private <T> CompletionStage<T> ask(
                ForwardContext forward, Function<SimulatedServer, CompletionStage<T>> request) {
            return ask(forward, SimulatedServer::requested, request);
        }

        private <T> CompletionStage<T> ask(
                ForwardContext forward,
                BiConsumer<SimulatedServer, Runnable> how,
                Function<SimulatedServer, CompletionStage<T>> request) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            Optional<SimulatedServer> target = server(to).filter(SimulatedServer::isReachable);
            if (target.isEmpty()) {
                answer.completeExceptionally(SimulatedPartitions.notServing());
                return answer;
            }
            SimulatedServer other = target.get();
            var unused =
                    from.deadline(forward.deadlineNanos(), () -> answer.completeExceptionally(SimulatedServer.late()));
            if (!faults.isCut(from.id, to)) {
                other.process.after(
                        faults.networkNanos(),
                        () -> how.accept(other, () -> {
                            CompletionStage<T> asked;
                            try {
                                asked = request.apply(other);
                            } catch (TalosException e) {
                                asked = CompletableFuture.failedFuture(e);
                            }
                            var unusedToo = asked.whenComplete((result, error) -> answer(other, answer, result, error));
                        }));
            }
            return answer;
        }

        private <T> void answer(
                SimulatedServer other, CompletableFuture<T> answer, T result, @Nullable Throwable error) {
            if (other.process.isEnded() || faults.isCut(from.id, to)) {
                return; // its deadline ends it
            }
            from.process.after(faults.networkNanos(), () -> {
                if (error == null) {
                    answer.complete(result);
                } else {
                    answer.completeExceptionally(error);
                }
            });
        }

        @Override
        public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward) {
            return ask(
                    forward,
                    (other, task) -> other.requestedPut(id, task),
                    other -> other.local().put(id, put, until(other, forward)));
        }

        @Override
        public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
            return ask(forward, other -> {
                other.turnAt(other.process.now() + read.waitNanos());
                return other.local().read(id, read, until(other, forward));
            });
        }

        @Override
        public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward) {
            return ask(forward, other -> other.local().awaitAny(ends, waitNanos, until(other, forward)));
        }

        @Override
        public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
            return ask(forward, other -> other.local().bounds(ids, until(other, forward)));
        }

        @Override
        public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
            return ask(forward, other -> other.local().offsetAtTime(id, timeMillis, until(other, forward)));
        }

        @Override
        public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext forward) {
            return ask(forward, other -> other.local().delete(id, deletion, until(other, forward)));
        }

        /** Sends the rest of a deadline, not its time: each machine has a monotonic clock of its own. */
        private ForwardContext until(SimulatedServer other, ForwardContext forward) {
            long left = forward.deadlineNanos() - from.process.now();
            return new ForwardContext(forward.caller(), other.process.now() + left);
        }
    }
}
