// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
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
 * worker, which the store holds. Gets keep a thread of Jetty's, too.
 *
 * <p>Confined: one test.
 */
final class QueueSimulation {
    private static final long BETWEEN_PUTS = 300_000; // ns

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Deque<Integer> forJetty = new ArrayDeque<>();
    private final List<Deque<Integer>> waiting = new ArrayList<>(); // by queue
    private final int[] idle; // workers, by queue
    private final int[] queues; // by key
    private final SplittableRandom random;
    private final LongSupplier store;
    private final Histogram latency = new Histogram(3);
    private long[] begun; // by key, and behind the keys by connection of the gets
    private LongSupplier getHeld = () -> 0;
    private long betweenGets;
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
     * @param byHash whether a key's worker is drawn at random; else any idle one takes its puts
     * @param jetty its threads
     * @param quantile how long the store holds a worker, in ns, by a quantile from 0 to 1
     */
    QueueSimulation(int keys, int pool, boolean byHash, int jetty, DoubleToLongFunction quantile, long seed) {
        random = new SplittableRandom(seed);
        queues = new int[keys];
        begun = new long[keys];
        idle = new int[byHash ? pool : 1];
        Arrays.fill(idle, byHash ? 1 : pool);
        jettyFree = jetty;
        store = () -> quantile.applyAsLong(random.nextDouble());
        for (int queue = 0; queue < idle.length; queue++) {
            waiting.add(new ArrayDeque<>());
        }
        for (int key = 0; key < keys; key++) {
            queues[key] = byHash ? random.nextInt(pool) : 0;
            later(random.nextInt(1_000_000), key, false);
        }
    }

    /**
     * Adds connections with one get in flight each.
     *
     * @param betweenNanos the least time between two gets of a connection
     * @param quantile how long a get keeps its thread of Jetty's, in ns, by a quantile from 0 to 1
     */
    QueueSimulation withGets(int connections, long betweenNanos, DoubleToLongFunction quantile) {
        begun = Arrays.copyOf(begun, queues.length + connections);
        betweenGets = betweenNanos;
        getHeld = () -> quantile.applyAsLong(random.nextDouble());
        for (int get = queues.length; get < begun.length; get++) {
            later(random.nextLong(betweenNanos), get, false);
        }
        return this;
    }

    private void later(long nanos, int key, boolean isEnd) {
        events.add(new Event(now + nanos, number++, key, isEnd));
    }

    /** Latencies, in ns, of the puts that end in some seconds after the first three. */
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
        if (key >= queues.length) {
            later(getHeld.getAsLong(), key, true);
        } else if (idle[queues[key]] == 0) {
            waiting.get(queues[key]).add(key);
        } else {
            idle[queues[key]]--;
            later(store.getAsLong(), key, true);
        }
    }

    private void end(int key) {
        if (key < queues.length) {
            endPut(key);
        } else {
            later(Math.max(0, begun[key] + betweenGets - now), key, false);
        }
        if (forJetty.isEmpty()) {
            jettyFree++;
        } else {
            work(forJetty.remove());
        }
    }

    private void endPut(int key) {
        int queue = queues[key];
        idle[queue]++;
        if (!waiting.get(queue).isEmpty()) {
            work(waiting.get(queue).remove());
        }
        if (now > measuredFrom) {
            latency.recordValue(now - begun[key]);
        }
        later(BETWEEN_PUTS, key, false);
    }
}
