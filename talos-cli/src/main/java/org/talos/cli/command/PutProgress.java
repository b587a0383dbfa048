// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Records which part of a put's input is stored, which may be stored, and which certainly is not. The parts of the
 * input, which are lines, messages or files, have numbers from 1.
 *
 * <p>Confined: the main thread.
 */
final class PutProgress {
    private final List<Range> stored = new ArrayList<>();
    private final List<Range> unknown = new ArrayList<>();
    private long taken;
    private long messages;

    /** Numbers of the input that follow each other, both ends included. Immutable. */
    record Range(long from, long to) {}

    /**
     * Returns the range of the next message: it ends with the message's own number and begins behind the message
     * before.
     */
    Range next(long number) {
        Range range = new Range(taken + 1, number); // empty lines go with the message behind them
        taken = number;
        return range;
    }

    void stored(List<Range> put) {
        messages += put.size();
        List<Range> all = joined(Stream.concat(stored.stream(), put.stream()).toList());
        stored.clear();
        stored.addAll(all);
    }

    void mayBeStored(List<Range> put) {
        unknown.addAll(joined(put));
    }

    private static List<Range> joined(List<Range> ranges) {
        List<Range> joined = new ArrayList<>();
        for (Range each :
                ranges.stream().sorted(Comparator.comparingLong(Range::from)).toList()) {
            int last = joined.size() - 1;
            if (last >= 0 && joined.get(last).to + 1 == each.from) {
                joined.set(last, new Range(joined.get(last).from, each.to));
            } else {
                joined.add(each);
            }
        }
        return joined;
    }

    /** Returns whether certainly nothing is stored. */
    boolean isNothing() {
        return stored.isEmpty() && unknown.isEmpty();
    }

    /** Returns whether there is a part that may be stored. */
    boolean isUnknown() {
        return !unknown.isEmpty();
    }

    /**
     * Returns the outcome of the whole input.
     *
     * @param total last number of the input; empty if its end is not known
     */
    Documents.PutParts document(OptionalLong total) {
        return new Documents.PutParts(
                messages, spans(stored), spans(unknown), spans(notStored(total.orElse(Long.MAX_VALUE))));
    }

    private List<Range> notStored(long total) {
        List<Range> gaps = new ArrayList<>();
        long next = 1;
        for (Range each :
                joined(Stream.concat(stored.stream(), unknown.stream()).toList())) {
            if (each.from > next) {
                gaps.add(new Range(next, each.from - 1));
            }
            next = each.to + 1;
        }
        if (next <= total) {
            gaps.add(new Range(next, total));
        }
        return gaps;
    }

    private static List<Documents.Span> spans(List<Range> ranges) {
        return ranges.stream()
                .map(each -> new Documents.Span(
                        each.from, each.to == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(each.to)))
                .toList();
    }
}
