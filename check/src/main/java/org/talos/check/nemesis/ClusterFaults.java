// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.talos.check.nemesis.Fault.Company;

/** Faults and operator commands that move partitions from one server to another. Confined: the main thread. */
final class ClusterFaults {
    private static final Duration MOVED_WITHIN = Duration.ofSeconds(4);

    private final SystemUnderTest system;
    private final Dice dice;
    private final int partitions;

    /** @param partitions of the topic that may be moved */
    ClusterFaults(SystemUnderTest system, Dice dice, int partitions) {
        this.system = system;
        this.dice = dice;
        this.partitions = partitions;
    }

    /** The short faults. */
    List<Supplier<Fault>> quick() {
        return List.of(this::sessionEnds, this::moves, this::rebalanced, this::drained);
    }

    /** The long faults. */
    List<Supplier<Fault>> slow() {
        return List.of(this::leaderKilled, this::slowRestart, this::restartInOrder);
    }

    private int server() {
        return dice.below(system.shape().servers());
    }

    private Fault sessionEnds() {
        int server = server();
        return new Fault(
                        "session ended from outside",
                        "session of server " + server + " ends",
                        MOVED_WITHIN,
                        Company.ANY,
                        () -> system.sessions().end(SystemUnderTest.id(server)),
                        () -> {})
                .upon(ZooKeeperFaults.ENSEMBLE);
    }

    private Fault moves() {
        int partition = dice.below(partitions);
        int server = server();
        return new Fault(
                "partition moves",
                "partition " + partition + " moves to server " + server,
                MOVED_WITHIN,
                Company.WITHIN,
                () -> system.operators().move(partition, SystemUnderTest.id(server)),
                () -> {});
    }

    /** The leader levels the servers' load: several partitions may move at once. */
    private Fault rebalanced() {
        return new Fault(
                "partitions rebalanced",
                "partitions are rebalanced",
                MOVED_WITHIN,
                Company.WITHIN,
                () -> system.operators().rebalance(),
                () -> {});
    }

    private Fault drained() {
        int server = server();
        return new Fault(
                "server drained",
                "server " + server + " is drained",
                dice.upTo(15),
                Company.WITHIN,
                () -> system.operators().drain(SystemUnderTest.id(server)),
                () -> system.operators().resume(SystemUnderTest.id(server)));
    }

    private Fault leaderKilled() {
        List<TalosProcess> killed = new ArrayList<>();
        return new Fault(
                "kill -9 the server that leads",
                "kill -9 the server that leads",
                dice.upTo(20),
                Company.WITHIN,
                () -> {
                    TalosProcess leader = system.servers().get(leader());
                    leader.kill();
                    killed.add(leader);
                },
                () -> {
                    for (TalosProcess each : killed) {
                        each.start();
                    }
                });
    }

    private int leader() throws IOException, InterruptedException {
        String leader = system.operators().leader();
        for (int i = 0; i < system.servers().size(); i++) {
            if (SystemUnderTest.id(i).equals(leader)) {
                return i;
            }
        }
        throw new IOException("the cluster is led by " + leader + ", which is none of its servers");
    }

    /** An orderly stop of a server for longer than the delay after which it is replaced. */
    private Fault slowRestart() {
        int server = server();
        return new Fault(
                "server back late",
                "server " + server + " stops, and is back late",
                SystemUnderTest.DELAY_REMOVED.plusSeconds(2).plus(dice.upTo(6)),
                Company.WITHIN,
                () -> system.server(server).stop(),
                () -> system.server(server).start());
    }

    /** A rolling restart as operators do it: each server once all serve again, the leader last. */
    private Fault restartInOrder() {
        return new Fault(
                "restart of one server after another",
                "restart of one server after another",
                Duration.ZERO,
                Company.NONE,
                () -> {
                    int last = leader();
                    for (int i = 1; i <= system.servers().size(); i++) {
                        TalosProcess each = system.servers()
                                .get((last + i) % system.servers().size());
                        each.stop();
                        each.start();
                        system.operators().awaitAllServe();
                    }
                },
                () -> {});
    }
}
