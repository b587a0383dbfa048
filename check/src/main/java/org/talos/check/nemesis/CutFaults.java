// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.talos.check.nemesis.Fault.Company;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.FaultProxy;

/**
 * Network faults between servers and daemons or among servers: packets lost silently, or connections refused. Confined:
 * the main thread.
 */
final class CutFaults {
    private final SystemUnderTest system;
    private final Dice dice;

    CutFaults(SystemUnderTest system, Dice dice) {
        this.system = system;
        this.dice = dice;
    }

    /** The short faults. */
    List<Supplier<Fault>> quick() {
        List<Supplier<Fault>> all = new ArrayList<>(List.of(
                this::noNameNode,
                this::lateNameNode,
                this::noDataNode,
                this::noDataNodes,
                this::lateDataNodes,
                this::noZooKeeper));
        if (system.shape().isShared()) {
            all.add(this::unreachable);
            all.add(this::apart);
        }
        return all;
    }

    /** The long faults. */
    List<Supplier<Fault>> slow() {
        return List.of(this::longWithoutZooKeeper);
    }

    private int server() {
        return dice.below(system.shape().servers());
    }

    private Fault noNameNode() {
        int server = server();
        return cut(
                "server without NameNode",
                "server " + server + " without NameNode",
                () -> system.cuts().toNameNode(server),
                dice.upTo(8));
    }

    private Fault noDataNode() {
        Daemon node = Daemon.dataNodes().get(dice.below(Daemon.dataNodes().size()));
        return cut(
                "servers without a DataNode",
                "servers without " + node.label(),
                () -> system.cuts().toDataNode(node),
                dice.upTo(8));
    }

    private Fault noZooKeeper() {
        int server = server();
        return cut(
                "server without ZooKeeper",
                "server " + server + " without ZooKeeper",
                () -> system.cuts().toZooKeeper(server),
                dice.upTo(10));
    }

    private Fault longWithoutZooKeeper() {
        int server = server();
        return cut(
                "server long without ZooKeeper",
                "server " + server + " long without ZooKeeper",
                () -> system.cuts().toZooKeeper(server),
                Dice.LONG);
    }

    /** A one-way partition: the server reaches the others, and they do not reach it. */
    private Fault unreachable() {
        int server = server();
        return cut(
                "server not reached by the others",
                "server " + server + " not reached by the others",
                () -> system.cuts().toServer(server),
                dice.upTo(15));
    }

    private Fault apart() {
        return cut(
                "servers cut off from each other",
                "servers cut off from each other",
                () -> system.cuts().toServers(),
                dice.upTo(15));
    }

    /** Each answer of the NameNode comes late, and so does each request. */
    private Fault lateNameNode() {
        Duration by = Duration.ofMillis(dice.oneOf(100, 500, 1_500));
        return late(
                "NameNode answers late",
                "NameNode " + by.toMillis() + " ms away from all servers",
                () -> system.cuts().toNameNode(),
                by,
                dice.upTo(15));
    }

    /** Every write of a journal or a segment fails. */
    private Fault noDataNodes() {
        return cut(
                "servers without all DataNodes",
                "servers without all DataNodes",
                () -> system.cuts().toDataNodes(),
                dice.upTo(6));
    }

    /** Every write of a journal or a segment takes long. */
    private Fault lateDataNodes() {
        Duration by = Duration.ofMillis(dice.oneOf(20, 100, 400));
        return late(
                "DataNodes answer late",
                "DataNodes " + by.toMillis() + " ms away from all servers",
                () -> system.cuts().toDataNodes(),
                by,
                dice.upTo(10));
    }

    private static Fault late(String kind, String name, Supplier<List<FaultProxy>> ways, Duration by, Duration hold) {
        return new Fault(
                kind, name, hold, Company.ANY, () -> Cuts.delay(ways.get(), by), () -> Cuts.repair(ways.get()));
    }

    private Fault cut(String kind, String name, Supplier<List<FaultProxy>> ways, Duration hold) {
        boolean silent = dice.coin();
        return new Fault(
                kind,
                name + (silent ? ", silent" : ", refused"),
                hold,
                Company.ANY,
                () -> {
                    if (silent) {
                        Cuts.silence(ways.get());
                    } else {
                        Cuts.refuse(ways.get());
                    }
                },
                () -> Cuts.repair(ways.get()));
    }
}
