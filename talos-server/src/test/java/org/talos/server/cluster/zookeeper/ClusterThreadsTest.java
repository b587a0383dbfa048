// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A repeated task continues behind a step that fails, by any failure: a heartbeat that ends ends the server. */
@Timeout(60)
class ClusterThreadsTest {
    private final CountDownLatch runs = new CountDownLatch(2);

    private void fail() {
        runs.countDown();
        throw new LinkageError("on purpose");
    }

    @Test
    void stepsOnEventsContinueBehindAnError() throws Exception {
        try (ClusterThreads threads = new ClusterThreads()) {
            threads.onEventsEvery(Duration.ofMillis(1), this::fail);

            assertThat(runs.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void stepsThatWaitForZooKeeperContinueBehindAnError() throws Exception {
        try (ClusterThreads threads = new ClusterThreads()) {
            threads.onWorkEvery(Duration.ofMillis(1), "test", this::fail);

            assertThat(runs.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }
}
