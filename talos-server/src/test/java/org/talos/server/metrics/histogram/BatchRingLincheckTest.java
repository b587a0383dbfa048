// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.simulation.SimulationRuns;

/** A writer that continues while others read: every value is taken once and as what it is, in any interleaving. */
@Timeout(900) // as much work as it is, it is slow beside other tests
@Tag("full") // processor
@Tag("servers")
public class BatchRingLincheckTest {
    private static final int OF_RUNS = 1_000; // what is of a batch counts so much more than a wait

    private final BatchRing ring = new BatchRing();
    private final AtomicLong taken = new AtomicLong();
    private final BatchRecorder taker = BatchRecorder.to(
            taken::addAndGet,
            nanos -> taken.addAndGet(OF_RUNS * OF_RUNS * nanos),
            tasks -> taken.addAndGet(OF_RUNS * tasks));
    private long written; // the writer's own

    public BatchRingLincheckTest() {
        run(1, 1);
        for (int i = 0; i < BatchRing.ROOM - 4; i++) { // it is full soon, and the next batch is where the first was
            start(1);
        }
    }

    @Operation(nonParallelGroup = "writer")
    public void start(@Param(gen = IntGen.class, conf = "1:9") int value) {
        written += value;
        full(ring.started(value));
    }

    @Operation(nonParallelGroup = "writer")
    public void run(
            @Param(gen = IntGen.class, conf = "1:9") int tasks, @Param(gen = IntGen.class, conf = "1:9") int nanos) {
        written += OF_RUNS * (tasks + (long) OF_RUNS * nanos);
        full(ring.ran(tasks, nanos));
    }

    private void full(int latest) {
        if (BatchRing.isFull(latest)) {
            take();
        }
    }

    @Operation
    public synchronized void take() {
        ring.takeTo(taker);
    }

    /** Checks that each written value was taken once. */
    @Validate
    public void nothingIsLostOrTakenTwice() {
        take();
        if (taken.get() != written) {
            throw new IllegalStateException("written " + written + ", taken " + taken);
        }
    }

    @Test
    void noInterleavingLosesAValueOrTakesItTwice() {
        new ModelCheckingOptions()
                .iterations(SimulationRuns.times(1))
                .invocationsPerIteration(500)
                .threads(2)
                .actorsBefore(0)
                .actorsPerThread(4)
                .loopBound(2 * BatchRing.ROOM)
                .check(BatchRingLincheckTest.class);
    }
}
