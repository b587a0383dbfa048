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
    private static final Duration ZOOKEEPER_AWAY = Duration.ofSeconds(60);

    private final Site site;
    private final Dice dice;

    DaemonFaults(Site site, Dice dice) {
        this.site = site;
        this.dice = dice;
    }

    /** The short faults. */
    List<Supplier<Fault>> quick() {
        return List.of(
                this::dataNodeKilled,
                this::nameNodeRestart,
                this::regionServerKilled,
                this::diskFull,
                this::regionsMove);
    }

    /** The long faults. */
    List<Supplier<Fault>> slow() {
        return List.of(this::zooKeeperRestart, this::zooKeeperAway);
    }

    private Daemon dataNode() {
        return Daemon.dataNodes().get(dice.below(Daemon.dataNodes().size()));
    }

    private Fault dataNodeKilled() {
        Daemon node = dataNode();
        return new Fault(
                "kill -9 " + node.label(),
                dice.upTo(8),
                Company.ANY,
                () -> site.cluster().kill(node),
                () -> site.cluster().start(node));
    }

    private Fault nameNodeRestart() {
        return restart("NameNode", Daemon.NAMENODE);
    }

    private Fault zooKeeperRestart() {
        return restart("ZooKeeper server", Daemon.ZOOKEEPER);
    }

    private Fault restart(String what, Daemon daemon) {
        return new Fault(
                "restart of the " + what,
                Duration.ZERO,
                Company.NONE,
                () -> site.cluster().restart(daemon),
                () -> {});
    }

    /**
     * Stops ZooKeeper for longer than any session lasts, then restarts the daemons and servers that ended because of
     * it.
     */
    private Fault zooKeeperAway() {
        return new Fault(
                "kill -9 ZooKeeper for " + ZOOKEEPER_AWAY.toSeconds() + " s",
                ZOOKEEPER_AWAY,
                Company.NONE,
                () -> site.cluster().kill(Daemon.ZOOKEEPER),
                () -> site.cluster().heal());
    }

    private Fault regionServerKilled() {
        return new Fault(
                "kill -9 " + Daemon.REGIONSERVER_1.label(),
                dice.upTo(3),
                Company.WITHIN,
                () -> site.cluster().kill(Daemon.REGIONSERVER_1),
                () -> site.cluster().heal());
    }

    private Fault regionsMove() {
        return new Fault(
                "regions move",
                Duration.ZERO,
                Company.NONE,
                () -> site.cluster().moveRegions(TABLE),
                () -> {});
    }

    private Fault diskFull() {
        Daemon node = dataNode();
        return new Fault(
                "full disk of " + node.label(),
                dice.upTo(6),
                Company.ANY,
                () -> site.cluster().fillDisk(node),
                () -> site.cluster().freeDisk(node));
    }
}
