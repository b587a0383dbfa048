// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.util.List;
import java.util.Random;
import org.talos.server.cluster.zookeeper.SimulatedLink;
import org.talos.server.metadata.RowKey;
import org.talos.server.simulation.ModelLog;
import org.talos.server.simulation.Scheduler;

/**
 * Disturbances of machines, their clocks and networks, and of the servers' requests.
 *
 * <p>Confined: the simulation's thread.
 */
final class Disturbances {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;
    private static final int MOST_CLOCK_MILLIS = 600_000;

    private final World world;
    private final Random random;
    private final Scheduler scheduler;

    Disturbances(World world) {
        this.world = world;
        random = world.random();
        scheduler = world.scheduler();
    }

    /** Often long enough for others to take partitions over meanwhile. */
    private long pauseNanos() {
        return (random.nextBoolean() ? 1 + random.nextInt(20) : 30 + random.nextInt(40)) * SECOND;
    }

    /** Pauses a process, as a long garbage collection does. */
    void pause() {
        world.any(world.up()).ifPresent(server -> {
            long nanos = pauseNanos();
            scheduler.note("PAUSES " + server.id + " for " + nanos / SECOND + " s");
            server.process.pause(nanos);
        });
    }

    /** Suspends a machine with its monotonic clock, as a migration does. */
    void suspend() {
        world.any(awake()).ifPresent(server -> {
            long nanos = pauseNanos();
            if (server.mayBeSuspended()) {
                scheduler.note("SUSPENDED " + server.id + " for " + nanos / SECOND + " s");
                server.process.suspend(nanos);
            }
        });
    }

    /** An operator, or NTP, sets the machine's clock. */
    void setClock() {
        world.any(awake()).ifPresent(server -> {
            long ahead = random.nextBoolean() ? 0 : random.nextInt(2 * MOST_CLOCK_MILLIS) - MOST_CLOCK_MILLIS;
            scheduler.note("CLOCK of " + server.id + " is set to " + ahead + " ms");
            server.setClock(ahead);
        });
    }

    void cutFromZooKeeper() {
        world.any(world.up()).ifPresent(server -> {
            long nanos = random.nextBoolean() ? random.nextInt(2_000) * MILLI : random.nextInt(40) * SECOND;
            SimulatedLink.Way way =
                    world.any(List.of(SimulatedLink.Way.values())).orElse(SimulatedLink.Way.BOTH);
            scheduler.note("CUT from ZooKeeper " + server.id + " for " + nanos / MILLI + " ms " + way);
            server.link.cut(nanos, way == SimulatedLink.Way.BOTH && random.nextBoolean(), way);
        });
    }

    void endSession() {
        world.any(world.up()).ifPresent(server -> {
            scheduler.note("SESSION ENDED of " + server.owner);
            server.endSession();
        });
    }

    void cutServers() {
        world.any(world.servers())
                .ifPresent(a -> world.any(world.servers()).ifPresent(b -> {
                    if (a != b) {
                        scheduler.note("CUT " + a.id + " from " + b.id);
                        world.faults().cut(a.id, b.id, true);
                    }
                }));
    }

    void failHdfs() {
        world.any(world.servers()).ifPresent(server -> {
            scheduler.note("HDFS FAILS for " + server.id);
            world.faults().failHdfs(server.id, true);
        });
    }

    void failRows() {
        world.any(world.servers()).ifPresent(server -> {
            scheduler.note("ROWS FAIL for " + server.id);
            world.faults().failRows(server.id, true);
        });
    }

    /** A newer version has written a partition's row, which these servers cannot read. */
    void hideRow(ModelLog of) {
        RowKey key = RowKey.table('p').and(of.id().topicId()).and(of.id().partition());
        scheduler.note("UNREADABLE row of " + of + "/" + of.id().partition());
        world.rows().hide(key, true);
    }

    /** A newer version of a server has written its node, which the others cannot read. */
    void hideServer() {
        world.any(world.up()).ifPresent(server -> {
            scheduler.note("UNREADABLE node of " + server.id);
            world.zooKeeper().hideServer(server.id);
        });
    }

    /** Ends what does not end by itself. */
    void heal() {
        List<SimulatedServer> servers = world.servers();
        for (SimulatedServer server : servers) {
            world.faults().failHdfs(server.id, false);
            world.faults().failRows(server.id, false);
            for (SimulatedServer other : servers) {
                world.faults().cut(server.id, other.id, false);
            }
        }
        world.rows().hideNothing();
        world.zooKeeper().hideNothing();
    }

    /** Nothing is disturbed from here on. */
    void end() {
        heal();
        world.faults().calm(true);
        for (SimulatedServer server : world.running()) {
            server.link.heal();
        }
        awake().forEach(server -> server.setClock(0));
    }

    /**
     * Returns servers that are not suspended: a clock that is set back meanwhile would hide the suspension from them.
     */
    private List<SimulatedServer> awake() {
        return world.up().stream().filter(server -> !server.process.isPaused()).toList();
    }
}
