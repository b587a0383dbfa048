// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

import java.util.List;
import java.util.Locale;

/**
 * One request of a client or one event of a run. A process does one operation at a time, in the order of their spans.
 * Immutable.
 *
 * @param number its number in the history
 * @param process number of the process that did it
 * @param client the protocol, such as rest or thrift
 * @param group the consumer group it was done for; empty if none
 * @param identity a producer's name for a put that may be repeated; empty if it has none
 * @param tries how often the request was sent
 * @param note the error or the fault
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
    /** As {@code client}: a producer of whose puts none is stored behind one that is not. */
    public static final String PIPELINED = "pipelined";

    private static final double NANOS = 1e9;
    private static final int SHOWN = 12;

    public Operation {
        entries = List.copyOf(entries);
        marks = List.copyOf(marks);
    }

    /** An operation that was sent once, without group, identity, values or offsets. */
    public static Operation of(int process, Kind kind, Outcome outcome, Span span) {
        return new Operation(0, process, "", kind, outcome, span, "", "", 1, List.of(), List.of(), "");
    }

    /** Returns a copy with that number in the history. */
    public Operation numbered(long at) {
        return new Operation(at, process, client, kind, outcome, span, group, identity, tries, entries, marks, note);
    }

    /** Returns a copy with that protocol. */
    public Operation by(String means) {
        return new Operation(number, process, means, kind, outcome, span, group, identity, tries, entries, marks, note);
    }

    /** Returns a copy for that consumer group. */
    public Operation inGroup(String named) {
        return new Operation(
                number, process, client, kind, outcome, span, named, identity, tries, entries, marks, note);
    }

    /** Returns a copy sent so often under that identity. */
    public Operation sent(String as, int times) {
        return new Operation(number, process, client, kind, outcome, span, group, as, times, entries, marks, note);
    }

    /** Returns a copy with these values. */
    public Operation with(List<Entry> values) {
        return new Operation(number, process, client, kind, outcome, span, group, identity, tries, values, marks, note);
    }

    /** Returns a copy with these offsets. */
    public Operation at(List<Mark> offsets) {
        return new Operation(
                number, process, client, kind, outcome, span, group, identity, tries, entries, offsets, note);
    }

    /** Returns a copy with that note. */
    public Operation noting(String text) {
        return new Operation(
                number, process, client, kind, outcome, span, group, identity, tries, entries, marks, text);
    }

    /** Returns whether this ended before the other began, so that all clients must see them in this order. */
    public boolean before(Operation other) {
        return span.end() < other.span.start();
    }

    public boolean ok() {
        return outcome == Outcome.OK;
    }

    /** The operation as one line of text. */
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
                .forEach(mark ->
                        line.append(String.format(Locale.ROOT, " %s[%d..%d]", mark.key(), mark.from(), mark.to())));
        entries.stream()
                .limit(SHOWN)
                .forEach(entry -> line.append(
                        String.format(Locale.ROOT, " %s@%d=%s", entry.key(), entry.offset(), entry.value())));
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
