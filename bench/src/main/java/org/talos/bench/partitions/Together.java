// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.talos.client.TalosClientException;

/** Does the same with many things, some of them at once. Immutable. */
final class Together {
    private Together() {}

    /**
     * Works on one of them. Thread-safe.
     *
     * @param <T> the thing
     */
    @FunctionalInterface
    interface Step<T> {
        /** Does it, with the thing of this number from 0 on. */
        void with(T thing, int number) throws IOException, TalosClientException, InterruptedException;
    }

    /** Returns when it is done with all; the first failure ends it. */
    static <T> void each(List<T> things, int atOnce, Step<T> step) throws IOException, InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(atOnce);
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < things.size(); i++) {
                int number = i;
                ends.add(pool.submit(() -> {
                    step.with(things.get(number), number);
                    return number;
                }));
            }
            for (Future<?> each : ends) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getCause()), e);
        } finally {
            pool.shutdownNow();
        }
    }
}
