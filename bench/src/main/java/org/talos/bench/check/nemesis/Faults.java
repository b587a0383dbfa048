// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.check.nemesis;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.FaultProxy;

/**
 * The faults there are, drawn one after another: each once before any comes again, in an order and upon those that a
 * seed decides.
 *
 * <p>Confined: the main thread.
 */
final class Faults {
    private static final String TABLE = "talos";
    private static final Duration STANDSTILL = Duration.ofSeconds(5);
    /** Longer than sessions, leases and client time-outs. */
    private static final Duration LONG = Duration.ofSeconds(40);

    private final Site site;
    private final boolean brief;
    private final Random random;
    private final List<Supplier<Fault>> left = new ArrayList<>();

    /** @param brief without those that take long */
    Faults(Site site, boolean brief, long seed) {
        this.site = site;
        this.brief = brief;
        random = new Random(seed);
    }

    Fault next() {
        if (left.isEmpty()) {
            left.addAll(List.of(
                    this::standstill,
                    this::dataNodeKilled,
                    this::nameNodeRestart,
                    this::regionServerKilled,
                    this::noNameNode,
                    this::noDataNode,
                    this::noZooKeeper,
                    this::diskFull,
                    this::regionsMove));
            if (!brief) {
                left.addAll(List.of(
                        this::killed,
                        this::rollingRestart,
                        this::longStandstill,
                        this::longWithoutZooKeeper,
                        this::allKilled));
            }
            Collections.shuffle(left, random);
            if (brief) {
                left.addAll(List.of(this::rollingRestart, this::killed)); // there may be no time for all others
            }
        }
        return left.remove(left.size() - 1).get();
    }

    private int server() {
        return random.nextInt(site.servers().size());
    }

    private Daemon dataNode() {
        return Daemon.dataNodes().get(random.nextInt(Daemon.dataNodes().size()));
    }

    private Duration upTo(int seconds) {
        return Duration.ofMillis(random.nextInt(seconds * 1_000));
    }

    private Fault killed() {
        int server = server();
        TalosProcess process = site.servers().get(server);
        return new Fault("kill -9 server " + server, upTo(brief ? 8 : 20), process::kill, process::start);
    }

    private Fault allKilled() {
        return new Fault(
                "kill -9 all servers",
                upTo(5),
                () -> {
                    for (TalosProcess each : site.servers()) {
                        each.kill();
                    }
                },
                this::startAll);
    }

    private void startAll() throws IOException, InterruptedException {
        for (TalosProcess each : site.servers()) {
            each.start();
        }
    }

    private Fault standstill() {
        return standstill(STANDSTILL);
    }

    private Fault longStandstill() {
        return standstill(LONG);
    }

    private Fault standstill(Duration of) {
        int server = server();
        TalosProcess process = site.servers().get(server);
        return new Fault(
                "server " + server + " stands still for " + of.toSeconds() + " s",
                of,
                () -> process.signal("STOP"),
                () -> process.signal("CONT"));
    }

    private Fault rollingRestart() {
        return new Fault(
                "rolling restart",
                Duration.ZERO,
                () -> {
                    for (TalosProcess each : site.servers()) {
                        each.stop();
                        each.start();
                    }
                },
                () -> {});
    }

    private Fault dataNodeKilled() {
        Daemon node = dataNode();
        return new Fault(
                "kill -9 " + node.label(),
                upTo(8),
                () -> site.cluster().kill(node),
                () -> site.cluster().start(node));
    }

    private Fault nameNodeRestart() {
        return new Fault(
                "restart of the NameNode", Duration.ZERO, () -> site.cluster().restart(Daemon.NAMENODE), () -> {});
    }

    private Fault regionServerKilled() {
        return new Fault(
                "kill -9 " + Daemon.REGIONSERVER_1.label(),
                upTo(3),
                () -> site.cluster().kill(Daemon.REGIONSERVER_1),
                () -> site.cluster().heal());
    }

    private Fault regionsMove() {
        return new Fault("regions move", Duration.ZERO, () -> site.cluster().moveRegions(TABLE), () -> {});
    }

    private Fault noNameNode() {
        int server = server();
        return cut("server " + server + " without NameNode", site.cuts().toNameNode(server), upTo(8));
    }

    private Fault noDataNode() {
        Daemon node = dataNode();
        return cut("servers without " + node.label(), site.cuts().toDataNode(node), upTo(8));
    }

    private Fault noZooKeeper() {
        int server = server();
        return cut("server " + server + " without ZooKeeper", site.cuts().toZooKeeper(server), upTo(10));
    }

    private Fault longWithoutZooKeeper() {
        int server = server();
        return cut("server " + server + " long without ZooKeeper", site.cuts().toZooKeeper(server), LONG);
    }

    private Fault cut(String name, List<FaultProxy> ways, Duration hold) {
        boolean silent = random.nextBoolean();
        return new Fault(
                name + (silent ? ", silent" : ", refused"),
                hold,
                () -> {
                    if (silent) {
                        Cuts.silence(ways);
                    } else {
                        Cuts.refuse(ways);
                    }
                },
                () -> Cuts.mend(ways));
    }

    private Fault diskFull() {
        Daemon node = dataNode();
        return new Fault(
                "full disk of " + node.label(),
                upTo(6),
                () -> site.cluster().fillDisk(node),
                () -> site.cluster().freeDisk(node));
    }
}
