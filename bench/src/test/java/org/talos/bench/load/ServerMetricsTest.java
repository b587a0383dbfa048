// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.talos.bench.load.ServerMetrics.Interval;

class ServerMetricsTest {
    private static ServerMetrics page(int first, int second, int third, double sum) {
        return ServerMetrics.parse(String.format(Locale.ROOT, """
                # TYPE wait histogram
                wait_bucket{pool="put",le="0.1"} %d
                wait_bucket{pool="put",le="0.2"} %d
                wait_bucket{pool="put",le="+Inf"} %d
                wait_sum{pool="put"} %s
                wait_count{pool="put"} %d
                wait_bucket{pool="get",le="0.1"} 999
                busy{pool="put"} 7
                """, first, second, third, sum, third));
    }

    @Test
    void intervalHasWhatWasCountedBetweenTwoSnapshots() {
        Interval wait = page(150, 190, 200, 31).since(page(100, 100, 100, 10), "wait", "pool=\"put\"");

        assertThat(wait.count()).isEqualTo(100);
        assertThat(wait.mean()).isCloseTo(0.21, within(1e-9));
        assertThat(wait.quantile(0.25)).isCloseTo(0.05, within(1e-9));
        assertThat(wait.quantile(0.7)).isCloseTo(0.15, within(1e-9));
        assertThat(wait.quantile(0.999)).as("above the last bound").isEqualTo(0.2);
    }

    @Test
    void nothingCountedIsNoNumber() {
        Interval none = page(1, 1, 1, 1).since(page(1, 1, 1, 1), "wait", "pool=\"put\"");

        assertThat(none.mean()).isNaN();
        assertThat(none.quantile(0.5)).isNaN();
        assertThat(ServerMetrics.NONE.value("busy")).isNaN();
        assertThat(page(1, 1, 1, 1).value("busy{pool=\"put\"}")).isEqualTo(7);
    }
}
