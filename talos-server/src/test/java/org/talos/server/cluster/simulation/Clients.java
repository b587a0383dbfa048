// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.talos.server.log.Put;
import org.talos.server.simulation.ModelLog;
import org.talos.server.simulation.Scheduler;
import org.talos.server.storage.LogId;

/**
 * Producers: each sends a put to any server, as a client without routes does, and waits for its answer.
 *
 * <p>Confined: the simulation's thread.
 */
final class Clients {
    private static final long SECOND = 1_000_000_000L;

    private final World world;
    private final Random random;
    private final Scheduler scheduler;
    private final List<Call> calls = new ArrayList<>();
    private final Set<LogId> probed = new HashSet<>();

    Clients(World world) {
        this.world = world;
        random = world.random();
        scheduler = world.scheduler();
    }

    /** A call that a client waits for. Immutable, but for its answer. */
    private record Call(SimulatedServer by, long deadline, CompletableFuture<Long> answer) {
        /** The scheduler's time by which it is answered, unless the server's machine is suspended again. */
        long dueNanos() {
            return Math.max(deadline + by.process.suspendedNanos(), by.process.pausedUntil());
        }
    }

    void put(ModelLog to) {
        int bytes = random.nextInt(3) == 0 ? 10_000 + random.nextInt(25_000) : random.nextInt(500);
        to.put(put -> send(to, put), 1 + random.nextInt(2), 1 + random.nextInt(3), bytes);
    }

    void putAgain(ModelLog to) {
        to.putAgain(put -> send(to, put), random.nextInt(3));
    }

    /** No partition has acknowledged a probe from here on. */
    void forgetProbes() {
        probed.clear();
    }

    /** A partition is served if a put is acknowledged. */
    void probe(ModelLog each) {
        each.put(
                put -> {
                    CompletableFuture<Long> sent = send(each, put);
                    var unused = sent.thenRun(() -> probed.add(each.id()));
                    return sent;
                },
                1,
                1,
                10);
    }

    boolean isProbed(ModelLog each) {
        return probed.contains(each.id());
    }

    private CompletableFuture<Long> send(ModelLog to, Put put) {
        CompletableFuture<Long> answer = new CompletableFuture<>();
        Optional<SimulatedServer> by = world.any(world.up());
        if (by.isEmpty()) {
            answer.completeExceptionally(new IOException("no server is up"));
            return answer;
        }
        SimulatedServer server = by.get();
        calls.add(new Call(server, server.process.now() + SimulatedServer.DEADLINE.toNanos(), answer));
        var unused = server.put(to.id(), put).whenComplete((offset, error) -> {
            if (server.process.isEnded()) {
                return; // nobody hears it
            }
            if (error == null) {
                answer.complete(offset);
            } else {
                answer.completeExceptionally(error);
            }
        });
        return answer;
    }

    /** The connections to a process have ended. */
    void ended(SimulatedServer server) {
        for (Call call : List.copyOf(calls)) {
            if (call.by == server) {
                call.answer.completeExceptionally(new IOException("the connection ended"));
            }
        }
    }

    /** Calls are answered by their deadlines, but for those of a server that was killed or stood still. */
    void check() {
        calls.removeIf(call -> call.answer.isDone() || call.by.process.isEnded());
        for (Call call : calls) {
            if (scheduler.nanos() > call.dueNanos() + 2 * SECOND) {
                throw scheduler.violated("every call is answered by its deadline", call.by.owner);
            }
        }
    }
}
