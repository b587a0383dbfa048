// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.load.TestConfig;

/**
 * Submitting, taking and ending tasks at once, some on their callers' threads, some because they are overdue: no
 * interleaving runs two batches of a key together, or loses a task, also since its key is forgotten meanwhile. What the
 * calls return is not compared with a sequence of calls: which worker is chosen may depend on a moment in between.
 */
@Timeout(900) // as much work as it is, it is slow beside other tests
class WorkerQueuesLincheckTest {
    private static final int KEYS = 2;

    private record IntTask(Integer key) implements Task<Integer> {
        @Override
        public Priority priority() {
            return Priority.NORMAL;
        }

        @Override
        public long deadlineNanos() {
            return 0;
        }

        @Override
        public void expired() {}

        @Override
        public void stopped() {}

        @Override
        public void failed(Throwable cause) {}
    }

    /** The queues, and what has been done with them. */
    public abstract static class Model {
        private final WorkerQueues<Integer, IntTask> queues;
        private final AtomicIntegerArray running = new AtomicIntegerArray(KEYS);
        private final AtomicInteger together = new AtomicInteger();
        private final AtomicInteger submitted = new AtomicInteger();
        private final AtomicInteger ran = new AtomicInteger();

        Model(int keptPins) {
            queues = new WorkerQueues<>(
                    new LeastLoaded(),
                    TestConfig.of(PoolConfig.class)
                            .with("workers", 2)
                            .with("maxWaitingPerKey", 10)
                            .with("maxWaiting", 20)
                            .with("maxBatch", 2)
                            .with("starvationBound", Duration.ofSeconds(1))
                            .create(),
                    keptPins);
        }

        @Operation
        public void submit(@Param(gen = IntGen.class, conf = "0:1") int key) {
            submitted.incrementAndGet();
            add(new IntTask(Math.floorMod(key, KEYS)));
        }

        private void add(IntTask task) {
            if (!queues.reserve() || queues.add(task, 0) == null) {
                throw new IllegalStateException("refused");
            }
        }

        @Operation
        public void runOneBatch(@Param(gen = IntGen.class, conf = "0:1") int worker) {
            run(queues.poll(Math.floorMod(worker, 2), 0));
        }

        /** On the caller's thread if that is possible, else queued. */
        @Operation
        public void runOrSubmit(@Param(gen = IntGen.class, conf = "0:1") int key) {
            IntTask task = new IntTask(Math.floorMod(key, KEYS));
            submitted.incrementAndGet();
            Entry<Integer, IntTask> batch = queues.start(task, 0);
            run(batch);
            if (batch == null) {
                add(task);
            }
        }

        /** All that wait at this moment, as if their deadline had passed. */
        @Operation
        public void endOverdue() {
            List<Entry<Integer, IntTask>> overdue = new ArrayList<>();
            var unused = queues.takeOverdue(1, overdue);
            ran.addAndGet(overdue.size());
        }

        private void run(@Nullable Entry<Integer, IntTask> batch) {
            if (batch != null) {
                int key = batch.task().key();
                together.addAndGet(running.incrementAndGet(key) > 1 ? 1 : 0);
                ran.addAndGet(Chain.length(batch));
                running.decrementAndGet(key);
                queues.done(batch);
            }
        }

        /** At the end nothing is left that a worker would not find. */
        @Validate
        public void nothingIsLostOrRunsTogether() {
            for (Entry<Integer, IntTask> batch = queues.poll(0, 0); batch != null; batch = queues.poll(0, 0)) {
                ran.addAndGet(Chain.length(batch));
                queues.done(batch);
            }
            if (together.get() != 0 || ran.get() != submitted.get() || !queues.isQuiet()) {
                throw new IllegalStateException(
                        "submitted " + submitted + ", ran " + ran + ", of them together " + together);
            }
        }
    }

    /** Each key is forgotten as soon as nothing of it waits or runs and another one comes. */
    public static final class ForgottenKeys extends Model {
        public ForgottenKeys() {
            super(0);
        }
    }

    /** No key is ever forgotten. */
    public static final class KeptKeys extends Model {
        public KeptKeys() {
            super(KEYS);
        }
    }

    @Test
    void noInterleavingLosesATaskOrRunsAKeyTwiceAtOnce() {
        check(KeptKeys.class);
    }

    @Test
    void noInterleavingDoesSoWhileKeysAreForgotten() {
        check(ForgottenKeys.class);
    }

    private static void check(Class<? extends Model> model) {
        new ModelCheckingOptions()
                .iterations(3)
                .invocationsPerIteration(60)
                .threads(2)
                .actorsPerThread(2)
                .check(model);
    }
}
