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
    private final Site site;
    private final Dice dice;

    CutFaults(Site site, Dice dice) {
        this.site = site;
        this.dice = dice;
    }

    /** The short faults. */
    List<Supplier<Fault>> quick() {
        List<Supplier<Fault>> all = new ArrayList<>(List.of(this::noNameNode, this::noDataNode, this::noZooKeeper));
        if (site.isShared()) {
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
        return dice.below(site.servers().size());
    }

    private Fault noNameNode() {
        int server = server();
        return cut("server " + server + " without NameNode", site.cuts().toNameNode(server), dice.upTo(8));
    }

    private Fault noDataNode() {
        Daemon node = Daemon.dataNodes().get(dice.below(Daemon.dataNodes().size()));
        return cut("servers without " + node.label(), site.cuts().toDataNode(node), dice.upTo(8));
    }

    private Fault noZooKeeper() {
        int server = server();
        return cut("server " + server + " without ZooKeeper", site.cuts().toZooKeeper(server), dice.upTo(10));
    }

    private Fault longWithoutZooKeeper() {
        int server = server();
        return cut("server " + server + " long without ZooKeeper", site.cuts().toZooKeeper(server), Dice.LONG);
    }

    /** A one-way partition: the server reaches the others, and they do not reach it. */
    private Fault unreachable() {
        int server = server();
        return cut(
                "server " + server + " not reached by the others", site.cuts().toServer(server), dice.upTo(15));
    }

    private Fault apart() {
        return cut("servers cut off from each other", site.cuts().toServers(), dice.upTo(15));
    }

    private Fault cut(String name, List<FaultProxy> ways, Duration hold) {
        boolean silent = dice.coin();
        return new Fault(
                name + (silent ? ", silent" : ", refused"),
                hold,
                Company.ANY,
                () -> {
                    if (silent) {
                        Cuts.silence(ways);
                    } else {
                        Cuts.refuse(ways);
                    }
                },
                () -> Cuts.mend(ways));
    }
}
