// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A fault: how it begins and how it ends. Immutable.
 *
 * @param kinds what runs count it as; several if it was combined
 * @param targets what it acts upon, as far as another fault must not act upon the same
 * @param name the kind of the fault and its target
 * @param hold time between begin and end
 */
record Fault(
        List<String> kinds, List<String> targets, String name, Duration hold, Company company, Step begin, Step end) {
    Fault {
        kinds = List.copyOf(kinds);
        targets = List.copyOf(targets);
    }

    /** A fault of that kind, which may act upon what others act upon. */
    Fault(String kind, String name, Duration hold, Company company, Step begin, Step end) {
        this(List.of(kind), List.of(), name, hold, company, begin, end);
    }

    /** An action on processes or networks. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException, InterruptedException;
    }

    /** Which faults may overlap with this one. Immutable. */
    enum Company {
        /** None: its begin or end needs everything else to work. */
        NONE,
        /** Faults that begin after it and end before it, as its end starts something that needs everything else. */
        WITHIN,
        /** Faults that begin before it and end after it, as they cannot end while it lasts. */
        AROUND,
        /** All. */
        ANY
    }

    /** Returns a copy that is combined with no other fault of this target. */
    Fault upon(String target) {
        return new Fault(kinds, List.of(target), name, hold, company, begin, end);
    }

    /** Returns whether the other may begin later and end earlier. */
    boolean mayEnclose(Fault inner) {
        return (company == Company.WITHIN || company == Company.ANY)
                && (inner.company == Company.AROUND || inner.company == Company.ANY)
                && targets.stream().noneMatch(inner.targets::contains);
    }

    /** Combines two faults: the other begins later and ends earlier. */
    Fault around(Fault inner) {
        return new Fault(
                joined(kinds, inner.kinds),
                joined(targets, inner.targets),
                name + ", and " + inner.name,
                hold.compareTo(inner.hold) > 0 ? hold : inner.hold,
                Company.NONE,
                () -> {
                    begin.run();
                    inner.begin.run();
                },
                () -> {
                    inner.end.run();
                    end.run();
                });
    }

    private static List<String> joined(List<String> one, List<String> other) {
        return Stream.concat(one.stream(), other.stream()).toList();
    }
}
