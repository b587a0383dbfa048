// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class AcknowledgedTimesTest {
    private static AcknowledgedTimes times(long... nanos) {
        AcknowledgedTimes times = new AcknowledgedTimes();
        LongStream.of(nanos).forEach(times::add);
        return times;
    }

    @Test
    void gapThatBeganBeforeAndOneThatEndedAfterwardsCountInFull() {
        AcknowledgedTimes times = times(0, 10, 40, 50, 120, 130);

        assertThat(times.longestGap(30, 45)).isEqualTo(30);
        assertThat(times.longestGap(45, 60)).isEqualTo(70);
        assertThat(times.longestGap(35, 100)).isEqualTo(70);
    }

    @Test
    void gapsBeforeAndAfterwardsDoNotCount() {
        AcknowledgedTimes times = times(0, 100, 110, 120, 300);

        assertThat(times.longestGap(100, 120)).isEqualTo(10);
    }

    @Test
    void nothingIsKnownOfAPartitionWithoutTwoAcknowledgements() {
        assertThat(times().longestGap(0, 100)).isZero();
        assertThat(times(50).longestGap(0, 100)).isZero();
        assertThat(times().anyAfter(0)).isFalse();
    }

    @Test
    void manyTimesAreKept() {
        AcknowledgedTimes times = times(LongStream.range(0, 10_000).toArray());

        assertThat(times.longestGap(0, 10_000)).isEqualTo(1);
        assertThat(times.anyAfter(9_998)).isTrue();
        assertThat(times.anyAfter(9_999)).isFalse();
    }
}
