// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.talos.check.history.Entry;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;

/** Checks that each reader gets messages in order, without gaps or repetitions. Immutable. */
final class PollChecks {
    private PollChecks() {}

    /** Checks two successive values that one process read from a partition. */
    @FunctionalInterface
    private interface Pair {
        @Nullable
        Anomaly check(Operation poll, Entry entry, Last before);
    }

    /** The last value that a process read from a partition. Immutable. */
    private record Last(Operation poll, long offset) {}

    static List<Anomaly> skips(Facts facts) {
        List<Anomaly> found = new ArrayList<>(elsewhere(facts));
        found.addAll(pairs(facts, (poll, entry, before) -> {
            boolean skipped = poll.number() != before.poll().number()
                    && entry.offset() > before.offset() + 1
                    && between(facts, entry.key(), before.offset(), entry.offset());
            return skipped
                    ? new Anomaly(
                            String.format(
                                    Locale.ROOT,
                                    "process %d was given %s up to %d, then %d",
                                    poll.process(),
                                    entry.key(),
                                    before.offset(),
                                    entry.offset()),
                            List.of(before.poll(), poll))
                    : null;
        }));
        return found;
    }

    /** The checker does not assume that offsets are dense: only values known to exist count as skipped. */
    private static boolean between(Facts facts, String key, long from, long to) {
        return !facts.read(key).subMap(from, false, to, false).isEmpty();
    }

    /** Finds answers that begin at another offset than the one requested. */
    private static List<Anomaly> elsewhere(Facts facts) {
        List<Anomaly> found = new ArrayList<>();
        for (Operation poll : facts.operations()) {
            for (Mark mark : poll.marks()) {
                long first = first(poll, mark.key());
                if (first != Entry.UNKNOWN
                        && mark.from() >= 0
                        && first != mark.from()
                        && poll.group().isEmpty()) {
                    found.add(new Anomaly(
                            String.format(
                                    Locale.ROOT,
                                    "process %d asked for %d of %s and was given %d",
                                    poll.process(),
                                    mark.from(),
                                    mark.key(),
                                    first),
                            List.of(poll)));
                }
            }
        }
        return found;
    }

    private static long first(Operation poll, String key) {
        return switch (poll.kind()) {
            case POLL ->
                poll.entries().stream()
                        .filter(entry -> entry.key().equals(key))
                        .mapToLong(Entry::offset)
                        .findFirst()
                        .orElse(Entry.UNKNOWN);
            default -> Entry.UNKNOWN;
        };
    }

    static List<Anomaly> backwards(Facts facts) {
        return pairs(
                facts,
                (poll, entry, before) -> poll.number() != before.poll().number() && entry.offset() <= before.offset()
                        ? new Anomaly(
                                String.format(
                                        Locale.ROOT,
                                        "process %d was given %s up to %d, then %d again",
                                        poll.process(),
                                        entry.key(),
                                        before.offset(),
                                        entry.offset()),
                                List.of(before.poll(), poll))
                        : null);
    }

    static List<Anomaly> internal(Facts facts) {
        return pairs(
                facts,
                (poll, entry, before) ->
                        poll.number() == before.poll().number() && entry.offset() != before.offset() + 1
                                ? new Anomaly(
                                        String.format(
                                                Locale.ROOT,
                                                "one answer has of %s %d behind %d",
                                                entry.key(),
                                                entry.offset(),
                                                before.offset()),
                                        List.of(poll))
                                : null);
    }

    private static List<Anomaly> pairs(Facts facts, Pair pair) {
        List<Anomaly> found = new ArrayList<>();
        facts.byProcess().forEach((process, operations) -> {
            Map<String, Last> last = new HashMap<>();
            for (Operation each : operations) {
                switch (each.kind()) {
                    case ASSIGN, SUBSCRIBE, CRASH -> last.clear();
                    case POLL -> poll(each, last, pair, found);
                    default -> {
                        // Does not move the reader's offset.
                    }
                }
            }
        });
        return found;
    }

    private static void poll(Operation poll, Map<String, Last> last, Pair pair, List<Anomaly> found) {
        for (Entry entry : poll.entries()) {
            Last before = last.put(entry.key(), new Last(poll, entry.offset()));
            Anomaly anomaly = before == null ? null : pair.check(poll, entry, before);
            if (anomaly != null) {
                found.add(anomaly);
            }
        }
    }
}
