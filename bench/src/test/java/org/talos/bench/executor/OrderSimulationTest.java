// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * In which order handlers that block are run, and what the slowest request in a thousand waits for it: the load of
 * {@code bench blocking} in virtual time, on processors that never are short.
 */
@Tag("full") // processor
@Tag("bench")
class OrderSimulationTest {
    private static final long SEED = Long.getLong("talos.test.seed", 20_261_127);
    private static final int IN_FLIGHT = 1_000;
    private static final int REQUESTS = 400_000;
    private static final double LEAST_MICROS = 70; // to be woken
    private static final double MEAN_MICROS = 50;
    private static final double MOST_MICROS = 1_000;

    private enum Order {
        /** The plain pool's, and between keys the executor's. */
        FIRST_COME,
        ANY,
        /** Each thread has a queue, and a request goes to the shortest; none takes over what waits for another. */
        OF_EACH_THREAD
    }

    private record Running(double end, int thread, double since) {}

    private final SplittableRandom random = new SplittableRandom(SEED);

    private double micros() {
        return LEAST_MICROS + Math.min(MOST_MICROS, -Math.log(1 - random.nextDouble()) * MEAN_MICROS);
    }

    /** P999 in microseconds, once what was there at the beginning has gone. */
    private double slowest(Order order, int threads) {
        PriorityQueue<Running> running = new PriorityQueue<>(Comparator.comparingDouble(Running::end));
        List<List<Double>> queues = new ArrayList<>();
        for (int queue = 0; queue < (order == Order.OF_EACH_THREAD ? threads : 1); queue++) {
            queues.add(new ArrayList<>());
        }
        for (int request = 0; request < IN_FLIGHT; request++) {
            if (request < threads) {
                running.add(new Running(micros(), request, 0));
            } else {
                queues.get(request % queues.size()).add(0.0);
            }
        }
        Histogram latency = new Histogram(3);
        for (int ended = 0; ended < REQUESTS; ended++) {
            Running first = running.remove();
            if (ended > 20 * IN_FLIGHT) {
                latency.recordValue(Math.round((first.end - first.since) * 1_000));
            }
            queues.stream()
                    .min(Comparator.comparingInt(List::size))
                    .orElseThrow()
                    .add(first.end);
            List<Double> own = queues.get(first.thread % queues.size());
            int next = order == Order.ANY ? random.nextInt(own.size()) : 0;
            running.add(new Running(first.end + micros(), first.thread, own.remove(next)));
        }
        return latency.getValueAtPercentile(99.9) / 1e3;
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 20, 30, 40})
    void neitherOfTheOtherOrdersHasASlowestRequestAsFastAsFirstComeFirstServed(int threads) {
        double firstCome = slowest(Order.FIRST_COME, threads);

        assertThat(slowest(Order.OF_EACH_THREAD, threads) / firstCome).isGreaterThan(1.05);
        assertThat(slowest(Order.ANY, threads) / firstCome).isGreaterThan(3);
    }

    /** Checks that little more can be won by the order of requests: the mean and the slowest are close together. */
    @ParameterizedTest
    @ValueSource(ints = {10, 20, 30, 40})
    void theSlowestRequestIsHardlySlowerThanTheMean(int threads) {
        double mean = (LEAST_MICROS + MEAN_MICROS) * IN_FLIGHT / threads;

        assertThat(slowest(Order.FIRST_COME, threads) / mean).isBetween(1.0, 1.25);
    }
}
