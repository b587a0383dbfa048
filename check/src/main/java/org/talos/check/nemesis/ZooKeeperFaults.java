// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.talos.check.nemesis.Fault.Company;
import org.talos.devcluster.Daemon;

/** Faults of one server of ZooKeeper's ensemble, which continues with the other two. Confined: the main thread. */
final class ZooKeeperFaults {
    /** Acted upon by each of these faults, and by what needs all of ZooKeeper. */
    static final String ENSEMBLE = "ZooKeeper's ensemble";

    private static final Duration LEAST = Duration.ofSeconds(2);

    private final SystemUnderTest system;
    private final Dice dice;

    ZooKeeperFaults(SystemUnderTest system, Dice dice) {
        this.system = system;
        this.dice = dice;
    }

    /** The short faults. */
    List<Supplier<Fault>> quick() {
        return List.of(this::killed, this::leaderKilled, this::paused, this::leaderPaused);
    }

    /** The long faults. */
    List<Supplier<Fault>> slow() {
        return List.of(this::oneAfterAnother);
    }

    private Which one() {
        int number = dice.below(system.shape().zooKeepers());
        return new Which(system, "ZooKeeper server " + (number + 1), number);
    }

    private Which leader() {
        return new Which(system, "the ZooKeeper server that leads", Which.LEADER);
    }

    private Fault killed() {
        return killed("kill -9 a ZooKeeper server", one());
    }

    private Fault leaderKilled() {
        return killed("kill -9 the ZooKeeper server that leads", leader());
    }

    private Fault killed(String kind, Which which) {
        return new Fault(
                        kind,
                        "kill -9 " + which.name,
                        dice.upTo(12),
                        Company.ANY,
                        () -> system.cluster().kill(which.chosen()),
                        () -> system.cluster().start(which.same()))
                .upon(ENSEMBLE);
    }

    private Fault paused() {
        return paused("ZooKeeper server is paused", one());
    }

    private Fault leaderPaused() {
        return paused("ZooKeeper server that leads is paused", leader());
    }

    private Fault paused(String kind, Which which) {
        return new Fault(
                        kind,
                        which.name + " is paused",
                        LEAST.plus(dice.upTo(10)),
                        Company.ANY,
                        () -> system.cluster().pause(which.chosen()),
                        () -> system.cluster().resume(which.same()))
                .upon(ENSEMBLE);
    }

    /**
     * Returns the fault that restarts an ensemble as operators do: each server once the one before serves again, by
     * name.
     */
    private Fault oneAfterAnother() {
        return new Fault(
                "restart of one ZooKeeper server after another",
                "restart of one ZooKeeper server after another",
                Duration.ZERO,
                Company.NONE,
                () -> {
                    for (Daemon each : system.cluster().zooKeepers()) {
                        system.cluster().restart(each);
                    }
                },
                () -> {});
    }

    /** The server that a fault acts upon: who leads is known only when it begins. Confined: the main thread. */
    private static final class Which {
        static final int LEADER = -1;

        private final SystemUnderTest system;
        private final String name;
        private final int number;
        private final Deque<Daemon> chosen = new ArrayDeque<>();

        Which(SystemUnderTest system, String name, int number) {
            this.system = system;
            this.name = name;
            this.number = number;
        }

        /** The one for the fault's beginning. */
        Daemon chosen() throws IOException, InterruptedException {
            Daemon daemon = number == LEADER
                    ? system.zooKeeperLeader()
                    : system.cluster().zooKeepers().get(number);
            chosen.push(daemon);
            return daemon;
        }

        /** The same for its end. */
        Daemon same() {
            return chosen.pop();
        }
    }
}
