// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.LogConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.simulation.Scheduler;

/**
 * Starts, stops, kills, and restarts processes of servers.
 *
 * <p>Confined: the simulation's thread.
 */
final class Fleet {
    static final String ROOT = "/talos";
    private static final String OTHER_ROOT = "/other";

    private final World world;
    private final Random random;
    private final Scheduler scheduler;
    private final Clients clients;
    private final LogConfig log;
    private final int blockBytes;
    private final Map<String, Integer> incarnations = new HashMap<>();
    private final Set<String> down = new TreeSet<>(); // ids without a process

    Fleet(World world, Clients clients, LogConfig log, int blockBytes) {
        this.world = world;
        random = world.random();
        scheduler = world.scheduler();
        this.clients = clients;
        this.log = log;
        this.blockBytes = blockBytes;
        world.whenReplaced(this::end);
    }

    void start(String id) {
        start(id, ROOT);
    }

    private void start(String id, String root) {
        int number = incarnations.merge(id, 1, Integer::sum);
        scheduler.note("STARTS " + id + "#" + number + (root.equals(ROOT) ? "" : " in " + root));
        SimulatedServer server = new SimulatedServer(world, id, number);
        world.add(server);
        down.remove(id);
        server.start(
                log,
                TestConfig.of(HdfsConfig.class)
                        .with("root", root)
                        .with("journals", 1)
                        .with("replication", 1)
                        .with("blockBytes", blockBytes)
                        .with("recoveriesAtOnce", 8)
                        .create());
    }

    /** Somebody starts a second process of an id. One of the two finds out, and ends. */
    void startSecond() {
        if (!Faults.isPassedOver(Faults.SECOND_PROCESSES)) {
            world.any(world.up()).map(server -> server.id).ifPresent(this::start);
        }
    }

    void end(SimulatedServer server) {
        if (server.process.isEnded()) {
            return;
        }
        world.end(server);
        world.hdfs().serverDies(PowerFailures.TO_SYNC_NANOS);
        if (!world.isRunning(server.id)) {
            down.add(server.id);
        }
        clients.ended(server);
    }

    void kill() {
        world.any(world.up()).ifPresent(server -> {
            scheduler.note("KILLED " + server.owner);
            end(server);
        });
    }

    void stop() {
        if (world.up().size() > 1) {
            world.any(world.up()).ifPresent(server -> {
                scheduler.note("STOPS " + server.owner);
                server.stop(() -> {
                    scheduler.note("STOPPED " + server.owner);
                    end(server);
                });
            });
        }
    }

    private void endFailed() {
        world.running().stream().filter(SimulatedServer::hasFailed).forEach(this::end);
    }

    /** Starts a server that has no process. */
    void restart() {
        endFailed();
        world.any(List.copyOf(down)).ifPresent(id -> {
            boolean wrong = random.nextInt(8) == 0 && !Faults.isPassedOver(Faults.TWO_ROOTS);
            start(id, wrong ? OTHER_ROOT : ROOT);
        });
    }

    /** Starts all servers that have no process. */
    void restartAll() {
        endFailed();
        List.copyOf(down).forEach(this::start);
    }
}
