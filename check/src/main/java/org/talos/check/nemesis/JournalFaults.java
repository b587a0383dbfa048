// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.talos.check.faulty.JournalTrouble;
import org.talos.check.faulty.JournalTrouble.How;
import org.talos.check.nemesis.Fault.Company;

/** Writes of a server's journals that fail, or take long. Confined: the main thread. */
final class JournalFaults {
    private static final List<How> FAILURES = List.of(How.BEFORE, How.TORN, How.AFTER);
    private static final int MOST_BETWEEN = 5;

    private final SystemUnderTest system;
    private final Dice dice;

    JournalFaults(SystemUnderTest system, Dice dice) {
        this.system = system;
        this.dice = dice;
    }

    /** The short faults. */
    List<Supplier<Fault>> quick() {
        return List.of(this::failing, this::slow);
    }

    /** Not every write: those between the failing ones succeed, so that journals fail again and again. */
    private Fault failing() {
        How how = FAILURES.get(dice.below(FAILURES.size()));
        int oneIn = 1 + dice.below(MOST_BETWEEN);
        return fault(
                "journal writes fail",
                "fail " + how.shown() + ", one in " + oneIn,
                new JournalTrouble(how, oneIn, Duration.ZERO),
                dice.upTo(8));
    }

    private Fault slow() {
        Duration by = Duration.ofMillis(dice.oneOf(50, 400, 2_500));
        return fault(
                "journal writes slow",
                "take " + by.toMillis() + " ms more",
                new JournalTrouble(How.SLOW, 1, by),
                dice.upTo(10));
    }

    private Fault fault(String kind, String what, JournalTrouble trouble, Duration hold) {
        int server = dice.below(system.shape().servers());
        return new Fault(
                        kind,
                        "journal writes of server " + server + " " + what,
                        hold,
                        Company.ANY,
                        () -> system.server(server).trouble(trouble),
                        () -> system.server(server).trouble(JournalTrouble.NONE))
                .upon("journals of server " + server);
    }
}
