// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DispatchMetricsTest {
    private final Metrics metrics = new Metrics(() -> 0);
    private final DispatchMetrics dispatch = new DispatchMetrics(metrics, "put");

    private String page() {
        return new PrometheusText(metrics).write();
    }

    @Test
    void workersAndCallersAreMeasuredTogether() {
        BatchMetrics worker = dispatch.newWorker();
        worker.started(1_000_000);
        worker.started(2_000_000);
        worker.ran(2, 500_000_000);
        dispatch.newWorker().ran(1, 500_000_000);
        dispatch.callers().started(3_000_000);
        dispatch.callers().ran(1, 1_000_000_000);

        assertThat(page())
                .contains("talos_dispatch_queue_wait_seconds_count{pool=\"put\"} 3")
                .contains("talos_dispatch_queue_wait_seconds_sum{pool=\"put\"} 0.006")
                .contains("talos_dispatch_run_seconds_count{pool=\"put\"} 3")
                .contains("talos_dispatch_run_seconds_sum{pool=\"put\"} 2")
                .contains("talos_dispatch_batch_tasks_sum{pool=\"put\"} 4");
    }

    @Test
    void aWorkerCountsOnceAReadingAndCallersDoNot() {
        BatchMetrics worker = dispatch.newWorker();
        dispatch.newWorker().ran(1, 1);
        worker.ran(1, 1);
        worker.ran(1, 1);
        dispatch.callers().ran(1, 1);

        assertThat(page()).contains("talos_dispatch_distinct_workers{pool=\"put\"} 2");
        assertThat(page()).contains("talos_dispatch_distinct_workers{pool=\"put\"} 0");
        worker.ran(1, 1);
        assertThat(page()).contains("talos_dispatch_distinct_workers{pool=\"put\"} 1");
    }
}
