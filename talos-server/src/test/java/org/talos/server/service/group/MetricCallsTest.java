// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.talos.common.error.TalosException;
import org.talos.server.log.gap.Gap;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.service.group.GroupDescription.PartitionOf;
import org.talos.thrift.PartitionConsumeUnit;

/** The lag that SDKs are given. */
class MetricCallsTest {
    private static List<PartitionConsumeUnit> units(OptionalLong committed, Optional<LogBounds> log) {
        return MetricCalls.units(new GroupDescription(
                Optional.empty(),
                new TreeMap<>(),
                new TreeMap<>(),
                List.of(PartitionOf.of(0, Optional.of("10_0_0_7-worker"), committed, log))));
    }

    private static long lag(OptionalLong committed, LogBounds log) {
        return units(committed, Optional.of(log)).get(0).getConsumerOffsetLag();
    }

    @Test
    void messagesThatHaveExpiredAreNoLag() {
        LogBounds log = new LogBounds(100, 110, 1_000);

        assertThat(lag(OptionalLong.of(40), log)).isEqualTo(10);
        assertThat(lag(OptionalLong.of(104), log)).isEqualTo(6);
        assertThat(lag(OptionalLong.of(110), log)).isZero();
        assertThat(lag(OptionalLong.empty(), log)).isEqualTo(10);
    }

    @Test
    void offsetsThatNoMessageHasAreNoLag() {
        assertThat(lag(OptionalLong.of(4), new LogBounds(0, 20, 1_000, new Gap(5, 18))))
                .isEqualTo(3);
    }

    @Test
    void committedOffsetIsThatOfTheLastMessage() {
        PartitionConsumeUnit unit = units(OptionalLong.of(104), Optional.of(new LogBounds(100, 110, 1_000)))
                .get(0);

        assertThat(unit).isEqualTo(new PartitionConsumeUnit(0, "10.0.0.7", 103, 6));
    }

    @Test
    void lagThatIsNotKnownIsNotGiven() {
        assertThatThrownBy(() -> units(OptionalLong.of(4), Optional.empty())).isInstanceOf(TalosException.class);
    }
}
