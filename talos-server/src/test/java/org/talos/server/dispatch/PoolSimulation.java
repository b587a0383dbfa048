// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A pool of workers on a machine, in virtual time: clients with a key each have one task in flight, workers take them
 * in turn, a task needs a processor and then waits for its store. All that chance decides comes from a seed.
 *
 * <p>Each worker that could run costs the others a little of the processor's caches: as much as 64 workers where 4 were
 * enough have cost on two processors.
 *
 * <p>Confined: one test.
 */
final class PoolSimulation {
    static final long MICRO = 1_000;
    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000_000_000;

    private static final double COST_OF_ANOTHER = 0.0067;
    private static final long SAMPLE = 100 * MILLI;
    private static final int SAMPLES_OF_PERIOD = 5;

    private final int processors;
    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Deque<Work> ready = new ArrayDeque<>();
    private final Deque<Work> forProcessor = new ArrayDeque<>();
    private Store store;
    private @Nullable AutoWorkers auto; // none: the number is fixed
    private boolean schedulerIsKnown = true;
    private int workers;
    private int awake;
    private int onProcessor;
    private int underWay; // keys
    private long now;
    private long number; // of the next event
    private long integratedTo;
    private double onProcessorTime; // of the period
    private double forProcessorTime;
    private int samples;
    private int awakeInSamples;
    private int mostKeys;
    private long[] latencies = new long[1 << 16];
    private int measured;
    private int changes;
    private int mostWorkers;

    /** The duration of a task. Immutable. */
    record Task(long processorNanos, long waitNanos) {}

    /** Times of the tasks of a client. */
    @FunctionalInterface
    interface Store {
        Task draw(int client, SplittableRandom random);
    }

    /** Measured figures. Immutable. */
    record Result(double perSecond, double p99Millis, int workers, int changes) {}

    private record Event(long at, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    /** A task on its way. */
    private static final class Work {
        private final int client;
        private final long begun;
        private final Task task;

        Work(int client, long begun, Task task) {
            this.client = client;
            this.begun = begun;
            this.task = task;
        }
    }

    PoolSimulation(int processors, int clients, Store store, long seed) {
        this.processors = processors;
        this.store = store;
        random = new SplittableRandom(seed);
        for (int client = 0; client < clients; client++) {
            int clientNumber = client;
            at(random.nextLong(MILLI), () -> submit(clientNumber));
        }
        at(SAMPLE, this::sample);
    }

    /** The machine does not say who waits for a processor. */
    PoolSimulation withoutScheduler() {
        schedulerIsKnown = false;
        return this;
    }

    PoolSimulation fixed(int fixed) {
        workers = fixed;
        return this;
    }

    PoolSimulation auto(AutoWorkers policy) {
        auto = policy;
        workers = policy.workers();
        return this;
    }

    /** From now on tasks take as long as this says. */
    PoolSimulation with(Store other) {
        store = other;
        return this;
    }

    /** Runs on, and measures what ends in that time. */
    Result run(double seconds) {
        measured = 0;
        changes = 0;
        long end = now + (long) (seconds * SECOND);
        while (!events.isEmpty() && events.peek().at <= end) {
            Event next = events.poll();
            integrate(next.at);
            now = next.at;
            next.action.run();
        }
        integrate(end);
        now = end;
        long[] sorted = Arrays.copyOf(latencies, measured);
        Arrays.sort(sorted);
        double p99 = measured == 0 ? Double.NaN : sorted[(int) (measured * 0.99)] / (double) MILLI;
        return new Result(measured / seconds, p99, workers, changes);
    }

    /** The most workers that there have been. */
    int mostWorkers() {
        return mostWorkers;
    }

    private void at(long time, Runnable action) {
        events.add(new Event(time, number++, action));
    }

    private void integrate(long to) {
        onProcessorTime += (double) onProcessor * (to - integratedTo);
        forProcessorTime += (double) forProcessor.size() * (to - integratedTo);
        integratedTo = to;
    }

    private void submit(int client) {
        underWay++;
        ready.add(new Work(client, now, store.draw(client, random)));
        takeNext();
    }

    private void takeNext() {
        while (awake < workers && !ready.isEmpty()) {
            awake++;
            forProcessor.add(ready.poll());
        }
        while (onProcessor < processors && !forProcessor.isEmpty()) {
            onProcessor++;
            Work work = forProcessor.poll();
            double factor = 1 + COST_OF_ANOTHER * forProcessor.size();
            at(now + (long) (work.task.processorNanos * factor), () -> waitForStore(work));
        }
    }

    private void waitForStore(Work work) {
        onProcessor--;
        at(now + work.task.waitNanos, () -> end(work));
        takeNext();
    }

    private void end(Work work) {
        awake--;
        underWay--;
        if (measured == latencies.length) {
            latencies = Arrays.copyOf(latencies, 2 * measured);
        }
        latencies[measured++] = now - work.begun;
        takeNext();
        submit(work.client);
    }

    private void sample() {
        at(now + SAMPLE, this::sample);
        awakeInSamples += awake;
        mostKeys = Math.max(mostKeys, underWay);
        if (++samples < SAMPLES_OF_PERIOD) {
            return;
        }
        double period = (double) SAMPLES_OF_PERIOD * SAMPLE;
        if (auto != null) {
            int before = workers;
            workers = auto.after(new AutoWorkers.Period(
                    awakeInSamples / (double) samples,
                    onProcessorTime / period,
                    schedulerIsKnown ? forProcessorTime / period : Double.NaN,
                    mostKeys,
                    processors,
                    onProcessorTime / period / processors));
            changes += before == workers ? 0 : 1;
            mostWorkers = Math.max(mostWorkers, workers);
        }
        samples = 0;
        awakeInSamples = 0;
        mostKeys = 0;
        onProcessorTime = 0;
        forProcessorTime = 0;
        takeNext();
    }
}
