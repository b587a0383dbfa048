// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.talos.check.nemesis.Fault.Company;

/** Faults of a server's process and of its clocks. Confined: the main thread. */
final class ServerFaults {
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final SystemUnderTest system;
    private final Dice dice;

    ServerFaults(SystemUnderTest system, Dice dice) {
        this.system = system;
        this.dice = dice;
    }

    /** The short faults. */
    List<Supplier<Fault>> quick() {
        return List.of(
                () -> paused("server is paused", PAUSE),
                () -> suspended("machine suspended", dice.oneOf(3, 9)), // a session of ZooKeeper: 6
                this::wrongClock);
    }

    /** The long faults. */
    List<Supplier<Fault>> slow() {
        return List.of(
                this::killed,
                this::rollingRestart,
                () -> paused("server is paused for long", Dice.LONG),
                () -> suspended("machine suspended for long", (int) Dice.LONG.toSeconds()),
                this::allKilled);
    }

    private int server() {
        return dice.below(system.shape().servers());
    }

    Fault killed() {
        int server = server();
        return new Fault(
                "kill -9 a server",
                "kill -9 server " + server,
                dice.upTo(20),
                Company.WITHIN,
                () -> system.server(server).kill(),
                () -> system.server(server).start());
    }

    /** A rolling restart that waits only until a server has started before it stops the next one. */
    Fault rollingRestart() {
        return new Fault(
                "rolling restart",
                "rolling restart",
                Duration.ZERO,
                Company.NONE,
                () -> {
                    for (TalosProcess each : system.servers()) {
                        each.stop();
                        each.start();
                    }
                },
                () -> {});
    }

    private Fault allKilled() {
        return new Fault(
                "kill -9 all servers",
                "kill -9 all servers",
                dice.upTo(5),
                Company.NONE,
                () -> {
                    for (TalosProcess each : system.servers()) {
                        each.kill();
                    }
                },
                this::startAll);
    }

    private void startAll() throws IOException, InterruptedException {
        for (TalosProcess each : system.servers()) {
            each.start();
        }
    }

    private Fault paused(String kind, Duration of) {
        int server = server();
        return new Fault(
                        kind,
                        "server " + server + " is paused for " + of.toSeconds() + " s",
                        of,
                        Company.ANY,
                        () -> system.server(server).signal("STOP"),
                        () -> system.server(server).signal("CONT"))
                .upon(process(server));
    }

    /** Two faults that stop one process: the end of the inner one would end the outer one, too. */
    private static String process(int server) {
        return "process of server " + server;
    }

    /** Unlike {@link #paused}, the server's monotonic clock does not count the time. */
    private Fault suspended(String kind, int seconds) {
        int server = server();
        return new Fault(
                        kind,
                        "machine of server " + server + " is suspended for " + seconds + " s",
                        Duration.ofSeconds(seconds),
                        Company.ANY,
                        () -> system.server(server).suspend(),
                        () -> system.server(server).resume())
                .upon(process(server));
    }

    /** The clock jumps twice: away, and back. */
    private Fault wrongClock() {
        int server = server();
        Duration by = Duration.ofSeconds(dice.oneOf(-3_600, -5, 5, 3_600));
        return new Fault(
                "wrong clock",
                "clock of server " + server + " wrong by " + by.toSeconds() + " s",
                dice.upTo(15),
                Company.ANY,
                () -> system.server(server).shiftClock(by),
                () -> system.server(server).shiftClock(Duration.ZERO));
    }
}
