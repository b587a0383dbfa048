// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/** A writer that goes on while others read: every value is taken once, in any interleaving. */
public class WriterValuesLincheckTest {
    private final WriterValues values = new WriterValues();
    private final AtomicLong taken = new AtomicLong();
    private long written; // the writer's own

    public WriterValuesLincheckTest() {
        for (int i = 0; i < WriterValues.ROOM - 2; i++) { // so that their places begin anew after a few more
            add(1);
            take();
        }
    }

    @Operation(nonParallelGroup = "writer")
    public void add(@Param(gen = IntGen.class, conf = "1:9") int value) {
        written += value;
        if (values.add(value) >= WriterValues.ROOM) {
            take();
        }
    }

    @Operation
    public synchronized void take() {
        var unused = values.takeTo(taken::addAndGet);
    }

    /** What has been written is what has been taken. */
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
                .iterations(5)
                .invocationsPerIteration(300)
                .threads(2)
                .actorsPerThread(4)
                .check(WriterValuesLincheckTest.class);
    }
}
