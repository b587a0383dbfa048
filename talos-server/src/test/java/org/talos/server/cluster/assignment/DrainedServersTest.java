// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DrainedServersTest {
    private final List<String> events = new ArrayList<>();
    private final List<String> reports = new ArrayList<>();
    private final DrainedServers drains = new DrainedServers(events::add, reports::add);

    @Test
    void serverIsReportedOnceItOwnsNothingAnyMore() {
        drains.reportEmpty(Set.of("a"), server -> 3);
        drains.reportEmpty(Set.of("a"), server -> 0);
        drains.reportEmpty(Set.of("a"), server -> 0);

        assertThat(events).containsExactly("a is drained: it owns nothing any more");
    }

    @Test
    void serverThatIsResumedMeanwhileIsNotReported() {
        drains.reportEmpty(Set.of("a"), server -> 3);
        drains.reportEmpty(Set.of(), server -> 3);
        drains.reportEmpty(Set.of("a"), server -> 0);

        assertThat(events).isEmpty();
    }

    @Test
    void operatorsLearnOnceThatAllServersAreDrained() {
        drains.reportWhetherAll(Set.of(), false);
        assertThat(reports).as("no server serves").isEmpty();

        drains.reportWhetherAll(Set.of(), true);
        drains.reportWhetherAll(Set.of(), true);
        assertThat(reports).hasSize(1);
        drains.reportWhetherAll(Set.of("a"), true);
        drains.reportWhetherAll(Set.of("a"), true);
        assertThat(events).containsExactly("partitions are placed again, on a");
    }
}
