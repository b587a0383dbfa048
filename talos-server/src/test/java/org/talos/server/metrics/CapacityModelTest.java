// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.talos.server.metrics.CapacityModel.Snapshot;
import org.talos.server.metrics.CapacityModel.Usage;

class CapacityModelTest {
    private static final Usage NONE = new Usage(0, 0, 0);

    private static Snapshot snapshot(Usage puts, Usage gets, double cpu) {
        return new Snapshot(Map.of(Operation.PUT, puts, Operation.GET, gets, Operation.OTHER, NONE), cpu);
    }

    @Test
    void formulaGivesThePublishedExample() {
        // Two processors, 0.85 ms of processor time: about 2,350 a second, of which 2,080 were measured.
        Capacity capacity = Capacity.of(0.0085, 0.00085, 2, 1);

        assertThat(capacity.maxPerSecond()).isCloseTo(2_353, within(1.0));
        assertThat(capacity.bestThreads()).isCloseTo(20, within(0.01));
        assertThat(capacity.waitSeconds()).isCloseTo(0.00765, within(1e-9));
    }

    @Test
    void costsOfAllRequestsAddUpToWhatTheProcessUsed() {
        CapacityModel model = new CapacityModel(4);
        model.add(snapshot(NONE, NONE, 5));
        model.add(snapshot(new Usage(1_000, 10, 0.03), new Usage(500, 1, 0.01), 5.2));

        Capacity put = model.of(Operation.PUT);
        Capacity get = model.of(Operation.GET);
        assertThat(put.cpuSeconds() * 1_000 + get.cpuSeconds() * 500).isCloseTo(0.2, within(1e-9));
        assertThat(put.cpuSeconds()).isCloseTo(0.15 / 1_000, within(1e-9));
        assertThat(put.maxPerSecond()).isCloseTo(4 * CapacityModel.UTILISATION / put.cpuSeconds(), within(1e-6));
        assertThat(put.waitSeconds()).isCloseTo(0.01 - put.cpuSeconds(), within(1e-9));
    }

    @Test
    void onlyTheLastMinuteCounts() {
        CapacityModel model = new CapacityModel(1);
        model.add(snapshot(NONE, NONE, 0));
        for (int i = 1; i <= 20; i++) {
            double each = i <= 10 ? 1 : 0.1; // the second half is ten times cheaper
            double measured = i <= 10 ? i * each : 10 + (i - 10) * each;
            model.add(snapshot(new Usage(i * 1_000L, i, measured), NONE, measured));
        }

        assertThat(model.of(Operation.PUT).cpuSeconds()).isCloseTo(0.1 / 1_000, within(1e-9));
    }

    @Test
    void fewRequestsLeaveTheCapacityUnknown() {
        CapacityModel model = new CapacityModel(1);
        model.add(snapshot(NONE, NONE, 0));
        model.add(snapshot(new Usage(3, 1, 0.01), NONE, 2));

        assertThat(model.of(Operation.PUT)).isEqualTo(Capacity.UNKNOWN);
        assertThat(model.of(Operation.OTHER).maxPerSecond()).isZero();
    }
}
