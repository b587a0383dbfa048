// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.hbase.AttemptFailure.Kind;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.metrics.MetadataMetrics.Settled;

/**
 * One write of a row: attempts it until it is known what has become of it. Each attempt goes under a version of its
 * own, which so is its name, and replaces the same version.
 *
 * <p>When an attempt's answer is lost, the row is read:
 *
 * <ul>
 *   <li>an attempt's version stands there, or is what stands there has replaced: written;
 *   <li>still the version to be replaced: not written so far, but the attempt may be on its way still. The write is
 *       attempted again: of attempts that replace the same version one succeeds at most, and they all write the same,
 *       so it does not matter which;
 *   <li>a version that has replaced the same one: somebody else's write, and ours never happens;
 *   <li>anything else: several writes have happened, perhaps one of ours among them. Nobody knows.
 * </ul>
 *
 * <p>Confined: to the thread that makes the call.
 */
final class Write {
    private final Calls calls;
    private final Versions versions;
    private final MetadataMetrics metrics;
    private final HBaseCall call;
    private final byte[] key;
    private final long expected;
    private final byte kind;
    private final byte[] value;
    private final Set<Long> open = new HashSet<>(); // attempts whose answer was lost
    private long replaced; // as expected; of a row to be made the mark that stands there

    private Write(Table table, HBaseCall call, byte[] key, long expected, byte kind, byte[] value) {
        this.calls = table.calls;
        this.versions = table.versions;
        this.metrics = table.metrics;
        this.call = call;
        this.key = key;
        this.expected = expected;
        this.kind = kind;
        this.value = value;
        this.replaced = expected;
    }

    /** Where writes go. Thread-safe. */
    record Table(Calls calls, Versions versions, MetadataMetrics metrics) {}

    /**
     * Writes the value at the expected version, 0 for no row. Answers the row's version, or empty if another stands
     * there.
     */
    static OptionalLong set(Table table, HBaseCall call, byte[] key, long expected, byte[] value)
            throws MetadataException {
        return new Write(table, call, key, expected, StoredRow.ROW, value).run();
    }

    /** Replaces the row by a mark. Answers as {@link #set}. */
    static OptionalLong delete(Table table, HBaseCall call, byte[] key, long expected) throws MetadataException {
        return new Write(table, call, key, expected, StoredRow.MARK, new byte[0]).run();
    }

    private OptionalLong run() throws MetadataException {
        while (true) {
            Optional<OptionalLong> outcome;
            try {
                call.awaitStep(calls.locate(key));
                StoredRow next = next();
                if (answered(next)) {
                    return OptionalLong.of(next.version());
                }
                outcome = afterRefusal();
            } catch (AttemptFailure e) {
                call.repeatAfter(e, effect());
                outcome = open.isEmpty() ? Optional.empty() : judge(look());
            }
            if (outcome.isPresent()) {
                return outcome.get();
            }
        }
    }

    private StoredRow next() throws MetadataException {
        long version = versions.above(replaced);
        return kind == StoredRow.ROW ? StoredRow.row(version, replaced, value) : StoredRow.mark(version, replaced);
    }

    /** Whether the attempt has written. */
    private boolean answered(StoredRow next) throws AttemptFailure {
        try {
            return call.await(calls.replace(key, replaced, next));
        } catch (AttemptFailure e) {
            if (e.kind() == Kind.NO_ANSWER || e.kind() == Kind.INTERRUPTED) {
                open.add(next.version());
            }
            throw e;
        }
    }

    /** Another version stands there: of a row to be made perhaps a mark, or one of our own attempts. */
    private Optional<OptionalLong> afterRefusal() throws MetadataException, AttemptFailure {
        if (expected != 0 && open.isEmpty()) {
            return Optional.of(OptionalLong.empty());
        }
        long refused = replaced;
        Optional<OptionalLong> outcome = judge(look());
        if (outcome.isEmpty() && replaced == refused) {
            throw new AttemptFailure(Kind.BUSY, new IllegalStateException("a read shows what is there no more"));
        }
        return outcome;
    }

    private Optional<StoredRow> look() throws MetadataException {
        Optional<byte[]> cell = call.read(() -> calls.get(key), effect());
        return cell.isPresent() ? Optional.of(StoredRow.decode(cell.get())) : Optional.empty();
    }

    /** The write's outcome, or empty if it is to be attempted again: nothing has happened so far. */
    private Optional<OptionalLong> judge(Optional<StoredRow> found) throws MetadataException {
        long version = found.map(StoredRow::version).orElse(0L);
        long previous = found.map(StoredRow::previous).orElse(0L);
        if (open.contains(version) || open.contains(previous)) {
            metrics.settled(Settled.WRITTEN);
            return Optional.of(OptionalLong.of(open.contains(version) ? version : previous));
        }
        if (version == replaced || (version == 0 && expected == 0)) {
            settled(Settled.REPEATED);
            replaced = version;
            return Optional.empty();
        }
        return somebodyElses(found.isPresent() && found.get().isRow(), version, previous);
    }

    private Optional<OptionalLong> somebodyElses(boolean row, long version, long previous) throws MetadataException {
        if (!open.isEmpty() && previous != replaced) {
            metrics.settled(Settled.UNKNOWN);
            throw new MetadataException(
                    Reason.UNAVAILABLE,
                    Effect.UNKNOWN,
                    call + " in HBase had no answer, and others have written the row several times since");
        }
        settled(Settled.LOST);
        if (expected == 0 && !row) {
            replaced = version;
            return Optional.empty();
        }
        return Optional.of(OptionalLong.empty());
    }

    private void settled(Settled as) {
        if (!open.isEmpty()) {
            metrics.settled(as);
        }
    }

    private Effect effect() {
        return open.isEmpty() ? Effect.NONE : Effect.UNKNOWN;
    }
}
