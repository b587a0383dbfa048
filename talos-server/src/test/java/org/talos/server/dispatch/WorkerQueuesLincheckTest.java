// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.time.Duration;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.SelectionPolicy;
import org.talos.server.dispatch.WorkerQueues.Entry;

/**
 * Submitting, taking and ending tasks at once, as the executor does under its lock: every interleaving is some order.
 */
public class WorkerQueuesLincheckTest {
    private final WorkerQueues<Integer, IntTask> queues =
            new WorkerQueues<>(SelectionPolicy.AFFINITY, new PoolConfig(2, 10, 20, 2, Duration.ofSeconds(1)));

    private record IntTask(Integer key) implements Task<Integer> {
        @Override
        public Priority priority() {
            return Priority.NORMAL;
        }

        @Override
        public long deadlineNanos() {
            return Long.MAX_VALUE;
        }

        @Override
        public void expired() {}

        @Override
        public void stopped() {}
    }

    @Operation
    public synchronized int submit(@Param(gen = IntGen.class, conf = "0:2") int key) {
        return queues.add(new IntTask(Math.floorMod(key, 3)), 0).worker();
    }

    @Operation
    public synchronized int runOneBatch(@Param(gen = IntGen.class, conf = "0:1") int worker) {
        List<Entry<Integer, IntTask>> batch = queues.poll(Math.floorMod(worker, 2), 0);
        if (!batch.isEmpty()) {
            queues.done(batch);
        }
        return batch.size();
    }

    @Operation
    public synchronized int waiting() {
        return queues.waiting();
    }

    @Test
    void everyInterleavingIsLinearizable() {
        new ModelCheckingOptions()
                .iterations(4)
                .invocationsPerIteration(150)
                .threads(2)
                .actorsPerThread(3)
                .check(WorkerQueuesLincheckTest.class);
    }
}
