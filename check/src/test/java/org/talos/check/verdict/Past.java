// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;
import org.talos.check.history.Span;

/** A small history, written by hand: each operation takes the second after the one before, unless set otherwise. */
final class Past {
    static final String KEY = "t/0";

    private final List<Operation> operations = new ArrayList<>();
    private double second;

    Past add(int process, Kind kind, Outcome outcome, List<Entry> entries, List<Mark> marks) {
        return add(
                at(process, kind, outcome, second, second + 0.5).with(entries).at(marks));
    }

    Past add(Operation operation) {
        operations.add(operation.numbered(operations.size()));
        second++;
        return this;
    }

    static Operation at(int process, Kind kind, Outcome outcome, double from, double to) {
        Span span = new Span(nanos(from), nanos(to), (long) (from * 1_000), (long) (to * 1_000));
        return Operation.of(process, kind, outcome, span);
    }

    private static long nanos(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    /** Moves the clock forward. */
    Past wait(int seconds) {
        second += seconds;
        return this;
    }

    Past send(int process, Outcome outcome, long offset, String... values) {
        return add(process, Kind.SEND, outcome, entries(offset, values), List.of());
    }

    Past sent(int process, long offset, String... values) {
        return send(process, Outcome.OK, offset, values);
    }

    /** A put whose answer names no offset. */
    Past sent(int process, String value) {
        return send(process, Outcome.OK, Entry.UNKNOWN, value);
    }

    Past poll(int process, long from, String... values) {
        return add(
                process,
                Kind.POLL,
                Outcome.OK,
                entries(from, values),
                List.of(new Mark(KEY, from, from + values.length)));
    }

    Past groupPoll(int process, long from, String... values) {
        return add(at(process, Kind.POLL, Outcome.OK, second, second + 0.5)
                .inGroup("g")
                .with(entries(from, values)));
    }

    Past group(int process, Kind kind, Outcome outcome, long offset) {
        return add(at(process, kind, outcome, second, second + 0.5).inGroup("g").at(List.of(Mark.at(KEY, offset))));
    }

    /** The group is one that begins at the ends of the topic's partitions. */
    Past latest() {
        return add(at(2, Kind.LATEST, Outcome.OK, second, second).inGroup("g").at(List.of(Mark.at(KEY, 0))));
    }

    Past mark(int process, Kind kind, Outcome outcome, Mark... marks) {
        return add(process, kind, outcome, List.of(), List.of(marks));
    }

    Past fault(Kind kind, String note) {
        return add(at(-1, kind, Outcome.OK, second, second + 0.5).noting(note));
    }

    List<Operation> operations() {
        return operations;
    }

    List<String> failed() {
        return Verdict.of(operations).failed();
    }

    static List<Entry> entries(long first, String... values) {
        return LongStream.range(0, values.length)
                .mapToObj(i -> new Entry(KEY, first == Entry.UNKNOWN ? first : first + i, values[(int) i]))
                .toList();
    }

    static List<Entry> places(Entry... entries) {
        return Arrays.asList(entries);
    }
}
