// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

import java.util.List;
import java.util.Locale;

/**
 * One thing that one process did. A process does one thing at a time, in the order of its spans. Immutable.
 *
 * @param number its place in the history
 * @param process who did it
 * @param client by what means, as rest or thrift
 * @param group the consumer group it was done for; empty if none
 * @param identity a producer's name for a put that may be repeated; empty if it has none
 * @param tries how often the request was sent
 * @param note an error, or which fault
 */
public record Operation(
        long number,
        int process,
        String client,
        Kind kind,
        Outcome outcome,
        Span span,
        String group,
        String identity,
        int tries,
        List<Entry> entries,
        List<Mark> marks,
        String note) {
    private static final double NANOS = 1e9;
    private static final int SHOWN = 12;

    public Operation {
        entries = List.copyOf(entries);
        marks = List.copyOf(marks);
    }

    /** Something that was sent once, for nobody else, and touched nothing. */
    public static Operation of(int process, Kind kind, Outcome outcome, Span span) {
        return new Operation(0, process, "", kind, outcome, span, "", "", 1, List.of(), List.of(), "");
    }

    /** The same at a place of the history. */
    public Operation numbered(long at) {
        return new Operation(at, process, client, kind, outcome, span, group, identity, tries, entries, marks, note);
    }

    /** The same by these means. */
    public Operation by(String means) {
        return new Operation(number, process, means, kind, outcome, span, group, identity, tries, entries, marks, note);
    }

    /** The same for a group. */
    public Operation inGroup(String named) {
        return new Operation(
                number, process, client, kind, outcome, span, named, identity, tries, entries, marks, note);
    }

    /** The same, sent so often under that identity. */
    public Operation sent(String as, int times) {
        return new Operation(number, process, client, kind, outcome, span, group, as, times, entries, marks, note);
    }

    /** The same with these values. */
    public Operation with(List<Entry> values) {
        return new Operation(number, process, client, kind, outcome, span, group, identity, tries, values, marks, note);
    }

    /** The same with these offsets. */
    public Operation at(List<Mark> offsets) {
        return new Operation(
                number, process, client, kind, outcome, span, group, identity, tries, entries, offsets, note);
    }

    /** The same with a note. */
    public Operation noting(String text) {
        return new Operation(
                number, process, client, kind, outcome, span, group, identity, tries, entries, marks, text);
    }

    /** Whether this was over before the other began: then everybody must see them in this order. */
    public boolean before(Operation other) {
        return span.end() < other.span.start();
    }

    public boolean ok() {
        return outcome == Outcome.OK;
    }

    /** One line for people. */
    public String shown() {
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "#%d %9.3f..%.3f s process %d %s %s %s",
                number,
                span.start() / NANOS,
                span.end() / NANOS,
                process,
                client,
                kind,
                outcome));
        append(line, " group=", group);
        append(line, " identity=", identity);
        if (tries > 1) {
            line.append(" tries=").append(tries);
        }
        marks.stream()
                .limit(SHOWN)
                .forEach(mark -> line.append(" %s[%d..%d]".formatted(mark.key(), mark.from(), mark.to())));
        entries.stream()
                .limit(SHOWN)
                .forEach(entry -> line.append(" %s@%d=%s".formatted(entry.key(), entry.offset(), entry.value())));
        if (entries.size() > SHOWN) {
            line.append(" … ").append(entries.size()).append(" in all");
        }
        append(line, " note=", note);
        return line.toString();
    }

    private static void append(StringBuilder line, String name, String value) {
        if (!value.isEmpty()) {
            line.append(name).append(value);
        }
    }
}
