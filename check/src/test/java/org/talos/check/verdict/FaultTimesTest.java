// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Outcome;

@Timeout(30)
class FaultTimesTest {
    private static Past faults() {
        return new Past()
                .add(Past.at(0, Kind.FAULT, Outcome.OK, 1, 2)
                        .at(List.of(Mark.at("kill", 0), Mark.at("cut", 0)))
                        .noting("kill one, and cut it"))
                .add(Past.at(0, Kind.HEAL, Outcome.OK, 5, 6).noting("kill one, and cut it"))
                .add(Past.at(0, Kind.FAULT, Outcome.OK, 10, 11)
                        .at(List.of(Mark.at("cut", 0)))
                        .noting("cut two"));
    }

    private static long seconds(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void faultLastsUntilItIsMended() {
        FaultTimes times = new FaultTimes(new Facts(faults().operations()));

        assertThat(times.calmNanos(0, seconds(8))).isEqualTo(seconds(3));
        assertThat(times.touches(seconds(6), seconds(10))).isFalse();
        assertThat(times.calmNanos(seconds(8), seconds(100))).isEqualTo(seconds(2));
    }

    @Test
    void kindsAreCountedOfTwoAtATimeToo() {
        assertThat(new FaultTimes(new Facts(faults().operations())).kinds())
                .containsExactly(entry("cut", 2), entry("kill", 1));
        assertThat(Verdict.of(faults().operations()).lines())
                .anyMatch(line -> line.matches("cut +2"))
                .anyMatch(line -> line.startsWith("topics deleted: 0"));
    }
}
