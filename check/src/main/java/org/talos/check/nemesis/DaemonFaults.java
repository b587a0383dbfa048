// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.talos.check.nemesis.Fault.Company;
import org.talos.devcluster.Daemon;

/** Faults of the daemons of HDFS, HBase and ZooKeeper. Confined: the main thread. */
final class DaemonFaults {
    private static final String TABLE = "talos";
    private static final Duration LEAST_PAUSE = Duration.ofSeconds(1);
    /** Longer than clients of the development cluster wait for an answer. */
    private static final Duration PAUSE = Duration.ofSeconds(25);

    private static final Duration ZOOKEEPER_AWAY = Duration.ofSeconds(60);

    private final SystemUnderTest system;
    private final Dice dice;

    DaemonFaults(SystemUnderTest system, Dice dice) {
        this.system = system;
        this.dice = dice;
    }

    /** The short faults. */
    List<Supplier<Fault>> quick() {
        return List.of(
                this::dataNodeKilled,
                this::nameNodeRestart,
                () -> pausedNameNode("NameNode is paused", LEAST_PAUSE.plus(dice.upTo(7))),
                this::regionServerKilled,
                this::diskFull,
                this::regionsMove);
    }

    /** The long faults. */
    List<Supplier<Fault>> slow() {
        return List.of(
                this::zooKeeperRestart,
                this::zooKeeperAway,
                () -> pausedNameNode("NameNode is paused for long", PAUSE));
    }

    private Daemon dataNode() {
        return Daemon.dataNodes().get(dice.below(Daemon.dataNodes().size()));
    }

    private Fault dataNodeKilled() {
        Daemon node = dataNode();
        return new Fault(
                        "kill -9 a DataNode",
                        "kill -9 " + node.label(),
                        dice.upTo(8),
                        Company.ANY,
                        () -> system.cluster().kill(node),
                        () -> system.cluster().start(node))
                .upon(node.label());
    }

    private Fault nameNodeRestart() {
        return new Fault(
                "restart of the NameNode",
                "restart of the NameNode",
                Duration.ZERO,
                Company.NONE,
                () -> system.cluster().restart(Daemon.NAMENODE),
                () -> {});
    }

    /** All of ZooKeeper, which no session outlasts if it takes long. */
    private Fault zooKeeperRestart() {
        return new Fault(
                "restart of ZooKeeper",
                "restart of ZooKeeper",
                Duration.ZERO,
                Company.NONE,
                () -> {
                    for (Daemon each : system.cluster().zooKeepers()) {
                        system.cluster().stop(each);
                    }
                },
                () -> system.cluster().heal());
    }

    /** DataNodes that others kill or fill are back only when it answers, so it is never around such a fault. */
    private Fault pausedNameNode(String kind, Duration hold) {
        return new Fault(
                kind,
                "NameNode is paused for " + hold.toMillis() + " ms",
                hold,
                Company.AROUND,
                () -> system.cluster().pause(Daemon.NAMENODE),
                () -> system.cluster().resume(Daemon.NAMENODE));
    }

    /**
     * Stops ZooKeeper for longer than any session lasts, then restarts the daemons and servers that ended because of
     * it.
     */
    private Fault zooKeeperAway() {
        return new Fault(
                "kill -9 ZooKeeper",
                "kill -9 ZooKeeper for " + ZOOKEEPER_AWAY.toSeconds() + " s",
                ZOOKEEPER_AWAY,
                Company.NONE,
                () -> {
                    for (Daemon each : system.cluster().zooKeepers()) {
                        system.cluster().kill(each);
                    }
                },
                () -> system.cluster().heal());
    }

    private Fault regionServerKilled() {
        return new Fault(
                "kill -9 the region server",
                "kill -9 " + Daemon.REGIONSERVER_1.label(),
                dice.upTo(3),
                Company.WITHIN,
                () -> system.cluster().kill(Daemon.REGIONSERVER_1),
                () -> system.cluster().heal());
    }

    private Fault regionsMove() {
        return new Fault(
                "regions move",
                "regions move",
                Duration.ZERO,
                Company.NONE,
                () -> system.cluster().moveRegions(TABLE),
                () -> {});
    }

    private Fault diskFull() {
        Daemon node = dataNode();
        return new Fault(
                        "full disk of a DataNode",
                        "full disk of " + node.label(),
                        dice.upTo(6),
                        Company.ANY,
                        () -> system.cluster().fillDisk(node),
                        () -> system.cluster().freeDisk(node))
                .upon(node.label());
    }
}
