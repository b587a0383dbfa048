// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kills;

import static org.talos.bench.report.Text.format;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * The acknowledgements of writers, the messages that readers saw meanwhile, and those that are stored in the end.
 * Thread-safe; the last reading begins when all else has ended.
 */
final class Ledger {
    private static final int MOST_NAMED = 10;

    private final List<Acknowledged> acknowledged;
    private final List<Places> confirmed;
    private final List<Places> seen;
    private final List<Places> left;

    private final LongAdder acknowledgements = new LongAdder();

    @GuardedBy("this")
    private final List<String> wrong = new ArrayList<>();

    @GuardedBy("this")
    private long wrongs;

    /** Numbers of one writer whose put was acknowledged. Thread-safe. */
    private static final class Acknowledged {
        @GuardedBy("this")
        private final BitSet numbers = new BitSet();

        synchronized void add(long number) {
            numbers.set(Math.toIntExact(number));
        }

        synchronized BitSet all() {
            return (BitSet) numbers.clone();
        }
    }

    Ledger(int writers) {
        acknowledged = Stream.generate(Acknowledged::new).limit(writers).toList();
        confirmed = Stream.generate(Places::new).limit(writers).toList();
        seen = Stream.generate(Places::new).limit(writers).toList();
        left = Stream.generate(Places::new).limit(writers).toList();
    }

    /** A put was acknowledged. */
    void acknowledged(int writer, long number) {
        acknowledged.get(writer).add(number);
        acknowledgements.increment();
    }

    /** A put was acknowledged, with the place that the message has. */
    void acknowledged(int writer, long number, int partition, long offset) {
        var unused = confirmed.get(writer).set(number, Places.place(partition, offset));
        acknowledged(writer, number);
    }

    /** Returns how many puts were acknowledged until now. */
    long acknowledgements() {
        return acknowledgements.sum();
    }

    /** A reader was given the message while servers were killed. */
    void seen(WriterMessages.Name name, int partition, long offset) {
        once(seen, "was read", name, Places.place(partition, offset));
    }

    /** The message is there in the end. */
    void left(WriterMessages.Name name, int partition, long offset) {
        once(left, "is", name, Places.place(partition, offset));
    }

    private void once(List<Places> places, String verb, WriterMessages.Name name, long place) {
        if (name.writer() < 0 || name.writer() >= places.size()) {
            wrong("nobody wrote " + name);
            return;
        }
        long before = places.get(name.writer()).set(name.number(), place);
        if (before != Places.NONE) {
            wrong(format(
                    "doubled: %s %s at %s and at %s", name, verb, Places.described(before), Places.described(place)));
        }
    }

    /** Something that must not be; the first ten keep their words. */
    synchronized void wrong(String what) {
        wrongs++;
        if (wrong.size() < MOST_NAMED) {
            wrong.add(what);
        }
    }

    /**
     * Compares the acknowledged and seen messages with the stored ones, and returns the number of acknowledged ones.
     */
    long compare() {
        long all = 0;
        for (int writer = 0; writer < acknowledged.size(); writer++) {
            BitSet numbers = acknowledged.get(writer).all();
            all += numbers.cardinality();
            for (int number = numbers.nextSetBit(0); number >= 0; number = numbers.nextSetBit(number + 1)) {
                compare(writer, number);
            }
        }
        return all;
    }

    private void compare(int writer, int number) {
        var name = new WriterMessages.Name(writer, number);
        long is = left.get(writer).get(number);
        if (is == Places.NONE) {
            wrong("lost: " + name + " was acknowledged");
            return;
        }
        same(name, "acknowledged", confirmed.get(writer).get(number), is);
        same(name, "read", seen.get(writer).get(number), is);
    }

    private void same(WriterMessages.Name name, String verb, long before, long is) {
        if (before != Places.NONE && before != is) {
            wrong(format(
                    "moved: %s was %s at %s and is at %s", name, verb, Places.described(before), Places.described(is)));
        }
    }

    /** Returns the number of faults. */
    synchronized long wrongs() {
        return wrongs;
    }

    /** The first of what was wrong. */
    synchronized List<String> firstWrongs() {
        return List.copyOf(wrong);
    }
}
