// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;

/** Checks for values that no reader may be given at all. Immutable. */
final class ReadChecks {
    private ReadChecks() {}

    static List<Anomaly> aborted(Facts facts) {
        return eachValue(facts, (poll, entry) -> {
            Sent sent = facts.sent(entry.value());
            return sent == null || sent.outcome() != Outcome.FAIL
                    ? null
                    : new Anomaly(
                            String.format(
                                    Locale.ROOT,
                                    "value %s of %s was read, although its put was answered did-not-happen",
                                    entry.value(),
                                    entry.key()),
                            Anomalies.join(sent.operations(), poll));
        });
    }

    static List<Anomaly> phantoms(Facts facts) {
        return eachValue(facts, (poll, entry) -> {
            Sent sent = facts.sent(entry.value());
            if (sent == null) {
                return new Anomaly(
                        String.format(
                                Locale.ROOT,
                                "%s has at %d what nobody sent: %s",
                                entry.key(),
                                entry.offset(),
                                entry.value()),
                        List.of(poll));
            }
            if (!sent.key().equals(entry.key())) {
                return new Anomaly(
                        String.format(
                                Locale.ROOT,
                                "value %s was sent to %s and read from %s",
                                entry.value(),
                                sent.key(),
                                entry.key()),
                        Anomalies.join(sent.operations(), poll));
            }
            return poll.span().end() >= sent.begun()
                    ? null
                    : new Anomaly(
                            String.format(Locale.ROOT, "value %s was read before it was sent", entry.value()),
                            Anomalies.join(sent.operations(), poll));
        });
    }

    private static List<Anomaly> eachValue(Facts facts, BiFunction<Operation, Entry, @Nullable Anomaly> check) {
        List<Anomaly> found = new ArrayList<>();
        Set<Entry> seen = new HashSet<>();
        for (Operation poll : facts.operations(Kind.POLL)) {
            for (Entry entry : poll.entries()) {
                Anomaly anomaly = seen.add(entry) ? check.apply(poll, entry) : null;
                if (anomaly != null) {
                    found.add(anomaly);
                }
            }
        }
        return found;
    }
}
