// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlacementReportTest {
    private final List<String> events = new ArrayList<>();
    private long nanos;
    private final PlacementReport report = new PlacementReport(() -> nanos, events::add);

    @Test
    void movesOfSomeSecondsAreOneEventUnlessNoneIsUnderWay() {
        report.reportIfDue(0, true);
        report.count(3, 0);
        report.reportIfDue(1, false);
        report.count(0, 2);
        report.reportIfDue(1, false);
        assertThat(events).as("the first is due at once").containsExactly("3 partitions placed, 0 moved");

        nanos += Duration.ofSeconds(10).toNanos();
        report.reportIfDue(1, false);
        report.count(1, 0);
        report.reportIfDue(0, true);
        assertThat(events)
                .containsExactly(
                        "3 partitions placed, 0 moved", "0 partitions placed, 2 moved", "1 partitions placed, 0 moved");
        assertThat(report.isEmpty()).isTrue();
    }
}
