// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TimelineTest {
    private final Timeline timeline = new Timeline();

    private static void count(Timeline timeline, int requests, long atMillis) {
        for (int i = 0; i < requests; i++) {
            timeline.count(TimeUnit.MILLISECONDS.toNanos(atMillis));
        }
    }

    @Test
    void requestsCountInTheSecondInWhichTheyEnded() {
        count(timeline, 3, 0);
        count(timeline, 5, 999);
        count(timeline, 20, 1_000);
        timeline.end(TimeUnit.SECONDS.toNanos(2));

        assertThat(timeline.perSecond(0, 1)).isEqualTo(8);
        assertThat(timeline.perSecond(1, 2)).isEqualTo(20);
        assertThat(timeline.perSecond(0, 2)).isEqualTo(14);
    }

    @Test
    void secondsThatTheLoadDidNotLastAreNotReported() {
        count(timeline, 1, 1_500);
        timeline.end(TimeUnit.MILLISECONDS.toNanos(1_900));

        assertThat(timeline.seconds()).isEqualTo(1);
        assertThat(timeline.perSecond(0, 1)).isZero();
        assertThat(timeline.perSecond(1, 2)).isNaN();
    }

    @Test
    void longLoadsAreCountedToTheirEnd() {
        count(timeline, 7, 3_600_500);
        timeline.end(TimeUnit.SECONDS.toNanos(9_000));

        assertThat(timeline.perSecond(3_600, 3_601)).isEqualTo(7);
        assertThat(timeline.perSecond(8_990, 9_000)).isZero();
    }

    @Test
    void twoLoadsAreReportedAsFarAsBothLasted() {
        Timeline other = new Timeline();
        count(timeline, 1, 500);
        timeline.end(TimeUnit.SECONDS.toNanos(300));
        count(other, 2, 700);
        other.end(TimeUnit.SECONDS.toNanos(200));

        Timeline sum = timeline.plus(other);

        assertThat(sum.perSecond(0, 1)).isEqualTo(3);
        assertThat(sum.seconds()).isEqualTo(200);
        assertThat(timeline.perSecond(0, 1)).isEqualTo(1);
    }
}
