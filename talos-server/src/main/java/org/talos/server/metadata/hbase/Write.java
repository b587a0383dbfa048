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
 * One write of a row: repeats it until its outcome is known. Each attempt has a version of its own, which identifies
 * it, and replaces the same version.
 *
 * <p>When an attempt's answer is lost, the row is read:
 *
 * <ul>
 *   <li>it has the version of an attempt, or a version that replaced one: written;
 *   <li>it still has the version to be replaced: not written so far, but the attempt may still be in flight. The write
 *       is attempted again: at most one of the attempts that replace one version succeeds, and all write the same, so
 *       it does not matter which;
 *   <li>it has another writer's version that replaced the same one: ours can never succeed;
 *   <li>anything else: several writes have happened, perhaps one of ours among them: the effect is unknown.
 * </ul>
 *
 * <p>Confined: the calling thread.
 */
final class Write {
    private final CellTable calls;
    private final Versions versions;
    private final MetadataMetrics metrics;
    private final HBaseCall call;
    private final byte[] key;
    private final long expected;
    private final byte kind;
    private final byte[] value;
    private final Set<Long> unanswered = new HashSet<>(); // attempts whose answer was lost
    private long
            replaced; // the expected version; of a row to be created the version of its deletion mark, if there is one

    private Write(Target target, HBaseCall call, byte[] key, long expected, byte kind, byte[] value) {
        this.calls = target.calls;
        this.versions = target.versions;
        this.metrics = target.metrics;
        this.call = call;
        this.key = key;
        this.expected = expected;
        this.kind = kind;
        this.value = value;
        this.replaced = expected;
    }

    /** The table, its version generator and its metrics. Thread-safe. */
    record Target(CellTable calls, Versions versions, MetadataMetrics metrics) {}

    /**
     * Writes the value if the row has the expected version, 0 for no row. Returns the new version, or empty if it has
     * another.
     */
    static OptionalLong set(Target target, HBaseCall call, byte[] key, long expected, byte[] value)
            throws MetadataException {
        return new Write(target, call, key, expected, StoredRow.ROW, value).run();
    }

    /** Replaces the row by a deletion mark. Returns as {@link #set}. */
    static OptionalLong delete(Target target, HBaseCall call, byte[] key, long expected) throws MetadataException {
        return new Write(target, call, key, expected, StoredRow.MARK, new byte[0]).run();
    }

    private OptionalLong run() throws MetadataException {
        while (true) {
            Optional<OptionalLong> outcome;
            try {
                call.awaitStep(calls.locate(key));
                StoredRow next = next();
                if (attempt(next)) {
                    return OptionalLong.of(next.version());
                }
                outcome = afterRefusal();
            } catch (AttemptFailure e) {
                call.repeatAfter(e, effect());
                outcome = unanswered.isEmpty() ? Optional.empty() : outcomeFrom(read());
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

    /** Sends an attempt and returns whether it has written. */
    private boolean attempt(StoredRow next) throws AttemptFailure {
        try {
            return call.await(calls.replace(key, replaced, next));
        } catch (AttemptFailure e) {
            if (e.kind() == Kind.NO_ANSWER || e.kind() == Kind.INTERRUPTED) {
                unanswered.add(next.version());
            }
            throw e;
        }
    }

    /** The row has another version: perhaps a deletion mark, or an earlier attempt of this write. */
    private Optional<OptionalLong> afterRefusal() throws MetadataException, AttemptFailure {
        if (expected != 0 && unanswered.isEmpty()) {
            return Optional.of(OptionalLong.empty());
        }
        long refused = replaced;
        Optional<OptionalLong> outcome = outcomeFrom(read());
        if (outcome.isEmpty() && replaced == refused) {
            throw new AttemptFailure(Kind.BUSY, new IllegalStateException("the read was stale"));
        }
        return outcome;
    }

    private Optional<StoredRow> read() throws MetadataException {
        Optional<byte[]> cell = call.read(() -> calls.get(key), effect());
        return cell.isPresent() ? Optional.of(StoredRow.decode(cell.get())) : Optional.empty();
    }

    /** The write's outcome, by the row as it is now; empty if it has to be attempted again. */
    private Optional<OptionalLong> outcomeFrom(Optional<StoredRow> found) throws MetadataException {
        long version = found.map(StoredRow::version).orElse(0L);
        long previous = found.map(StoredRow::previous).orElse(0L);
        if (unanswered.contains(version) || unanswered.contains(previous)) {
            metrics.settled(Settled.WRITTEN);
            return Optional.of(OptionalLong.of(unanswered.contains(version) ? version : previous));
        }
        if (version == replaced || (version == 0 && expected == 0)) {
            recordIfUnanswered(Settled.REPEATED);
            replaced = version;
            return Optional.empty();
        }
        return overwritten(found.isPresent() && found.get().isRow(), version, previous);
    }

    private Optional<OptionalLong> overwritten(boolean row, long version, long previous) throws MetadataException {
        if (!unanswered.isEmpty() && previous != replaced) {
            metrics.settled(Settled.UNKNOWN);
            throw new MetadataException(
                    Reason.UNAVAILABLE,
                    Effect.UNKNOWN,
                    call + " in HBase had no answer, and the row was written several times since");
        }
        recordIfUnanswered(Settled.LOST);
        if (expected == 0 && !row) {
            replaced = version;
            return Optional.empty();
        }
        return Optional.of(OptionalLong.empty());
    }

    private void recordIfUnanswered(Settled as) {
        if (!unanswered.isEmpty()) {
            metrics.settled(as);
        }
    }

    private Effect effect() {
        return unanswered.isEmpty() ? Effect.NONE : Effect.UNKNOWN;
    }
}
