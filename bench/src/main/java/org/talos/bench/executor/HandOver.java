// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Measures how long it takes one processor to see what another has written. Data that two threads share costs that time
 * at each access. A virtual machine's processors may be moved apart, out of a common cache, and back, while it runs.
 *
 * <p>Confined, but for the turn: the thread that measures, and its own other one.
 */
final class HandOver {
    private static final int BATCHES = 31;
    private static final int EXCHANGES = 200; // of a batch; less than 0.1 ms
    private static final long LONGEST_NANOS = 50_000_000;
    private static final int SPINS = 4_096; // between two looks at the clock

    private volatile int turn; // the other one answers each odd one by the next
    private volatile boolean over;

    private HandOver() {}

    /**
     * Nanoseconds, the median of a few batches: while one was measured a thread may have lost its processor. Empty if
     * there is one processor only, or the two were never on one each.
     */
    static OptionalDouble nanos() throws InterruptedException {
        return Runtime.getRuntime().availableProcessors() == 1
                ? OptionalDouble.empty()
                : new HandOver().measured(System.nanoTime() + LONGEST_NANOS);
    }

    private OptionalDouble measured(long deadline) throws InterruptedException {
        Thread other = new Thread(this::answer);
        other.setDaemon(true);
        other.start();
        List<Double> batches = new ArrayList<>();
        long start = System.nanoTime();
        for (int exchange = 1; batches.size() < BATCHES && exchanged(exchange, deadline); exchange++) {
            if (exchange % EXCHANGES == 0) {
                long now = System.nanoTime();
                batches.add((now - start) / (2.0 * EXCHANGES));
                start = now;
            }
        }
        over = true;
        other.join();
        return batches.stream()
                .mapToDouble(each -> each)
                .sorted()
                .skip(batches.size() / 2)
                .findFirst();
    }

    /** There and back; false if there is no time left. */
    private boolean exchanged(int exchange, long deadline) {
        turn = 2 * exchange - 1;
        for (int spins = 1; turn != 2 * exchange; spins++) {
            if (spins % SPINS == 0 && System.nanoTime() - deadline >= 0) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    private void answer() {
        while (!over) {
            int seen = turn;
            if (seen % 2 == 1) {
                turn = seen + 1;
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
