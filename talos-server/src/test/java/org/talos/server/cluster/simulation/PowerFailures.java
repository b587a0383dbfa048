// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.util.List;
import java.util.function.Consumer;

/**
 * Power failures of all DataNodes.
 *
 * <p>Confined: the simulation's thread.
 */
final class PowerFailures {
    /** Of the blocks of files: as large as a segment is when it is full. */
    static final int BLOCK_BYTES = 64 << 10;

    /**
     * HDFS has nothing that closes a file and syncs it at once: a power failure while a server is on its way to sync a
     * file whose lease was recovered is a documented limit. The time that servers have for that, takeovers included.
     */
    static final long TO_SYNC_NANOS = 90_000_000_000L;

    private PowerFailures() {}

    /** The power of all DataNodes fails, and sometimes that of the servers, which may stand in the same rack. */
    static void any(World world, Consumer<SimulatedServer> end) {
        boolean ofServers = world.random().nextBoolean();
        world.scheduler().note("POWER FAILS: DataNodes" + (ofServers ? " and servers" : ""));
        if (ofServers) {
            endAll(world, end);
        }
        note(world, world.hdfs().powerOff(TO_SYNC_NANOS));
        loseIndex(world);
    }

    /** An index can be built from its segment: none is needed. */
    private static void loseIndex(World world) {
        List<String> indexes = world.hdfs().files("").stream()
                .filter(name -> name.endsWith(".index"))
                .toList();
        world.any(indexes).ifPresent(lost -> {
            world.scheduler().note("index lost: " + lost);
            world.hdfs().lose(lost);
        });
    }

    /** All is served: whatever that depends on is on disks. */
    static void ofEverything(World world, Consumer<SimulatedServer> end) {
        world.scheduler().note("POWER FAILS: everything");
        endAll(world, end);
        note(world, world.hdfs().powerOff(0));
    }

    private static void endAll(World world, Consumer<SimulatedServer> end) {
        world.servers().stream().filter(server -> !server.process.isEnded()).forEach(end);
    }

    private static void note(World world, List<String> damaged) {
        if (!damaged.isEmpty()) {
            world.scheduler().note("blocks lost: " + damaged);
        }
    }
}
