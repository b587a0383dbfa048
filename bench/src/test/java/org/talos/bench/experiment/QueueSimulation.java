// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.DoubleToLongFunction;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * Queues of the versions of the Talos 2.1.6 report, in virtual time and without processors: clients with a key each
 * have one put in flight; it waits for a thread of Jetty's, which it keeps until it is answered, then for its key's
 * worker, which the store holds.
 *
 * <p>Confined: one test.
 */
final class QueueSimulation {
    private static final long BETWEEN_PUTS = 300_000; // ns

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Deque<Integer> forJetty = new ArrayDeque<>();
    private final List<Deque<Integer>> forWorker = new ArrayList<>();
    private final boolean[] busy;
    private final int[] workers; // by key
    private final long[] begun;
    private final LongSupplier store;
    private final Histogram latency = new Histogram(3);
    private int jettyFree;
    private int number;
    private long now;
    private long measuredFrom;

    private record Event(long at, int number, int key, boolean isEnd) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at == other.at ? Integer.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    /**
     * Creates one; nothing is under way.
     *
     * @param byHash whether a key's worker is drawn at random; else each has one of its own
     * @param jetty its threads
     * @param quantile how long the store holds a worker, in ns, by a quantile from 0 to 1
     */
    QueueSimulation(int keys, int pool, boolean byHash, int jetty, DoubleToLongFunction quantile, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        workers = new int[keys];
        begun = new long[keys];
        busy = new boolean[pool];
        jettyFree = jetty;
        store = () -> quantile.applyAsLong(random.nextDouble());
        for (int worker = 0; worker < pool; worker++) {
            forWorker.add(new ArrayDeque<>());
        }
        for (int key = 0; key < keys; key++) {
            workers[key] = byHash ? random.nextInt(pool) : key % pool;
            later(random.nextInt(1_000_000), key, false);
        }
    }

    private void later(long nanos, int key, boolean isEnd) {
        events.add(new Event(now + nanos, number++, key, isEnd));
    }

    /** Latencies, in ns, of what ends in some seconds after the first three. */
    Histogram run(int seconds) {
        measuredFrom = 3_000_000_000L;
        long end = measuredFrom + seconds * 1_000_000_000L;
        for (Event next = events.remove(); next.at < end; next = events.remove()) {
            now = next.at;
            if (next.isEnd) {
                end(next.key);
            } else {
                begin(next.key);
            }
        }
        return latency;
    }

    private void begin(int key) {
        begun[key] = now;
        if (jettyFree > 0) {
            jettyFree--;
            work(key);
        } else {
            forJetty.add(key);
        }
    }

    private void work(int key) {
        int worker = workers[key];
        if (busy[worker]) {
            forWorker.get(worker).add(key);
        } else {
            busy[worker] = true;
            later(store.getAsLong(), key, true);
        }
    }

    private void end(int key) {
        int worker = workers[key];
        busy[worker] = false;
        if (!forWorker.get(worker).isEmpty()) {
            work(forWorker.get(worker).remove());
        }
        if (now > measuredFrom) {
            latency.recordValue(now - begun[key]);
        }
        if (forJetty.isEmpty()) {
            jettyFree++;
        } else {
            work(forJetty.remove());
        }
        later(BETWEEN_PUTS, key, false);
    }
}
