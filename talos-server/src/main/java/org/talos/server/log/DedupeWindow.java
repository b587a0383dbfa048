// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.talos.server.log.dedupe.PutIdentity;
import org.talos.server.log.dedupe.PutIdentity.BlockIdentity;
import org.talos.server.log.dedupe.RememberedPuts;
import org.talos.server.log.dedupe.RememberedPuts.Remembered;

/**
 * Remembers the latest puts, to recognize repeated ones. A sequence id alone identifies nothing: the blocks must be
 * equal too. For clients that use one id for many puts, the earlier put must also be known to be unanswered. Such a
 * client never loses an equal message that it meant to send twice.
 *
 * <p>A remembered put takes about the same memory, however many blocks it has and however long its id is. The latest
 * puts are always remembered. Older ones are remembered up to an age as long as there is {@link DedupeMemory}: a
 * client's timeout takes seconds, in which a partition stores any number of puts.
 *
 * <p>Ages are measured by the monotonic clock: correcting the machine's clock by an hour forgets nothing.
 *
 * <p>Thread-safe; but a found put may be forgotten right away, except under the appender's lock.
 */
final class DedupeWindow {
    private final int leastPuts;
    private final long maxAgeNanos;

    @GuardedBy("this")
    private final RememberedPuts puts = new RememberedPuts();

    @GuardedBy("this")
    private final DedupeMemory.Holder memory;

    @GuardedBy("this")
    private boolean closed;

    /**
     * Creates an empty window.
     *
     * @param leastPuts remembered in any case; 0 for no put at all
     * @param memory for further ones
     */
    DedupeWindow(int leastPuts, Duration maxAge, DedupeMemory memory) {
        this.leastPuts = leastPuts;
        this.memory = memory.holder();
        maxAgeNanos = maxAge.toNanos();
    }

    /** Returns the identity of a put; empty if it has no sequence id. */
    static PutIdentity identity(Put put, int[] checksums) {
        BlockIdentity[] blocks = new BlockIdentity[checksums.length];
        for (int i = 0; i < checksums.length; i++) {
            blocks[i] = identity(put.blocks().get(i), checksums[i]);
        }
        return identity(put.sequenceId(), List.of(blocks));
    }

    /** Returns the window's entry for a put that was read from storage. */
    static PutIdentity identity(String sequenceId, List<BlockIdentity> blocks) {
        return sequenceId.isEmpty()
                ? PutIdentity.NONE
                : Put.Key.parse(sequenceId)
                        .map(put -> PutIdentity.ofKey(put.key(), put.digest()))
                        .orElseGet(() -> PutIdentity.ofBlocks(sequenceId, blocks));
    }

    static BlockIdentity identity(Block block, int checksum) {
        return new BlockIdentity(
                checksum, block.bytes().remaining(), block.messages(), block.compression(), block.createTimestamp());
    }

    /** Returns the put that this one may repeat; the caller compares the bytes. */
    synchronized Optional<Remembered> find(PutIdentity identity, Put.Origin origin, long nowNanos) {
        return puts.find(identity)
                .filter(earlier -> nowNanos - earlier.nanos() <= maxAgeNanos)
                .filter(earlier -> origin == Put.Origin.UNIQUE || earlier.isUnanswered());
    }

    /** Remembers a put, unless it has no id: without ids two equal puts are different puts. */
    synchronized Optional<Remembered> remember(PutIdentity identity, long firstOffset, long nanos) {
        if (leastPuts == 0 || closed || identity.equals(PutIdentity.NONE)) {
            return Optional.empty();
        }
        Remembered put = puts.add(identity, firstOffset, nanos);
        while (puts.size() > 1 && isOldestOld(nanos)) {
            puts.removeOldest();
        }
        count();
        while (memory.isOver()) {
            puts.removeOldest();
            count();
        }
        return Optional.of(put);
    }

    /** Notes whether the client may not have learned of a put's success. Has no effect for a forgotten put. */
    synchronized void mark(Remembered put, boolean unanswered) {
        puts.mark(put, unanswered);
    }

    /** Removes a put that was rolled back: it may come again as a new one. */
    synchronized void forget(Remembered put) {
        puts.remove(put);
        count();
    }

    /** Forgets puts that are too old, also of a log that receives no more puts. */
    synchronized void sweep(long nowNanos) {
        while (puts.size() > 0 && isOldestOld(nowNanos)) {
            puts.removeOldest();
        }
        count();
    }

    /** Forgets everything, and remembers nothing more. */
    synchronized void close() {
        closed = true;
        puts.clear();
        count();
    }

    @GuardedBy("this")
    private boolean isOldestOld(long nowNanos) {
        return nowNanos - puts.oldestNanos() > maxAgeNanos;
    }

    @GuardedBy("this")
    private void count() {
        memory.hold(Math.max(0, puts.size() - leastPuts));
    }

    synchronized int size() {
        return puts.size();
    }
}
