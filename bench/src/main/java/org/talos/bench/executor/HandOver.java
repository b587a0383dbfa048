// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.util.Arrays;
import java.util.OptionalDouble;

/**
 * How long it takes one processor to see what another has written: what is shared between two threads costs that each
 * time. A virtual machine's processors may be moved apart, out of a common cache, and back, while it runs.
 *
 * <p>Confined, but for the turn: the thread that measures, and its own other one.
 */
final class HandOver {
    private static final int BATCHES = 31;
    private static final int EXCHANGES = 200; // of a batch; less than 0.1 ms

    private volatile int turn; // even: ours

    private HandOver() {}

    /**
     * Nanoseconds, the median of a few batches: while one was measured a thread may have lost its processor. Empty if
     * there is one processor only.
     */
    static OptionalDouble nanos() throws InterruptedException {
        return Runtime.getRuntime().availableProcessors() == 1
                ? OptionalDouble.empty()
                : OptionalDouble.of(new HandOver().measured());
    }

    private double measured() throws InterruptedException {
        int exchanges = BATCHES * EXCHANGES;
        Thread other = new Thread(() -> {
            for (int i = 0; i < exchanges; i++) {
                await(2 * i + 1);
                turn = 2 * i + 2;
            }
        });
        other.setDaemon(true);
        other.start();
        double[] batches = new double[BATCHES];
        int exchange = 0;
        for (int batch = 0; batch < BATCHES; batch++) {
            long start = System.nanoTime();
            for (int i = 0; i < EXCHANGES; i++, exchange++) {
                turn = 2 * exchange + 1;
                await(2 * exchange + 2);
            }
            batches[batch] = (double) (System.nanoTime() - start) / (2 * EXCHANGES);
        }
        other.join();
        Arrays.sort(batches);
        return batches[BATCHES / 2];
    }

    private void await(int until) {
        while (turn != until) {
            Thread.onSpinWait();
        }
    }
}
