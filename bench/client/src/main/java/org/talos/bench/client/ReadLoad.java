// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.client;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Reads what was put by all members of a group, each in a poll loop of its own. Confined: the main thread. */
final class ReadLoad {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int DIGITS = 2;

    private final List<MeasuredClient.Reader> readers;
    private final NumberedMessages messages;

    ReadLoad(List<MeasuredClient.Reader> readers, NumberedMessages messages) {
        this.readers = List.copyOf(readers);
        this.messages = messages;
    }

    /** Runs a part in each thread. */
    interface Threads {
        void all(ClientLoad.Part part) throws Exception;
    }

    /** Waits until the members share the partitions, so that nothing changes hands later. */
    void settle(int partitions, Threads threads) throws Exception {
        AtomicIntegerArray shares = new AtomicIntegerArray(readers.size());
        long begin = System.nanoTime();
        threads.all(thread -> {
            MeasuredClient.Reader reader = readers.get(thread);
            while (!isShared(shares, partitions)) {
                if (System.nanoTime() - begin > ClientLoad.STALLED.toNanos()) {
                    throw new IllegalStateException("the group's members share no partitions: " + shares);
                }
                reader.poll(POLL, message -> messages.number(message));
                shares.set(thread, reader.partitions());
            }
        });
    }

    private static boolean isShared(AtomicIntegerArray shares, int partitions) {
        int sum = 0;
        for (int i = 0; i < shares.length(); i++) {
            if (shares.get(i) == 0) {
                return false;
            }
            sum += shares.get(i);
        }
        return sum == partitions;
    }

    LoadPhase run(long first, long count, ClientLoad load) throws Exception {
        Histogram latency = new ConcurrentHistogram(DIGITS);
        AtomicLong sum = new AtomicLong();
        Progress progress = new Progress(count);
        Duration clientCpu = ClientLoad.clientCpu();
        Duration serverCpu = load.serverCpu();
        load.all(thread -> read(readers.get(thread), latency, sum, progress));
        clientCpu = ClientLoad.clientCpu().minus(clientCpu);
        serverCpu = load.serverCpu().minus(serverCpu);
        long expected = count * first + count * (count - 1) / 2;
        if (progress.got() != count || sum.get() != expected) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "got %d messages, their numbers add up to %d (expected: %d and %d)",
                    progress.got(),
                    sum.get(),
                    count,
                    expected));
        }
        return new LoadPhase(LoadPhase.GET, latency, progress.took(), clientCpu, serverCpu);
    }

    private void read(MeasuredClient.Reader reader, Histogram latency, AtomicLong sum, Progress progress)
            throws Exception {
        while (progress.isUnderWay()) {
            long asked = System.nanoTime();
            int got = reader.poll(POLL, message -> sum.addAndGet(messages.number(message)));
            if (got > 0) {
                latency.recordValueWithCount(System.nanoTime() - asked, got);
                progress.add(got);
            }
        }
    }

    /** Counts how far the reading is. Thread-safe. */
    private static final class Progress {
        private final long count;
        private final long begin = System.nanoTime();
        private final AtomicLong got = new AtomicLong();
        private volatile long last = begin;

        Progress(long count) {
            this.count = count;
        }

        void add(int messages) {
            got.addAndGet(messages);
            last = System.nanoTime();
        }

        /** Returns whether there is more to come. */
        boolean isUnderWay() {
            if (got.get() < count && System.nanoTime() - last > ClientLoad.STALLED.toNanos()) {
                throw new IllegalStateException("got " + got + " of " + count + " messages, and no more");
            }
            return got.get() < count;
        }

        long got() {
            return got.get();
        }

        Duration took() {
            return Duration.ofNanos(last - begin);
        }
    }
}
