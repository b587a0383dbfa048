// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Remembers the latest puts, to recognise one that is repeated. A sequence id alone identifies nothing: the blocks must
 * be equal too, and for clients that use one id for many puts the earlier one must be known not to have been answered.
 * An equal message that was meant twice is never dropped for them.
 *
 * <p>What it remembers of a put takes about the same memory, however many blocks the put has and however long its id.
 * It remembers the latest puts in any case, and older ones up to an age as long as there is {@link DedupeMemory}: a
 * time-out comes after seconds, in which a partition takes any number of puts.
 *
 * <p>Ages are of the monotonic clock: when the machine's clock is put right by an hour nothing is forgotten for it.
 *
 * <p>Thread-safe; but what is found may be forgotten as soon as it is, except under the appender's lock.
 */
final class DedupeWindow {
    private static final int LONGEST_KEPT_ID = 160; // characters

    private final int leastPuts;
    private final long maxAgeNanos;

    @GuardedBy("this")
    private final Map<Identity, Remembered> puts = new LinkedHashMap<>();

    @GuardedBy("this")
    private final DedupeMemory.Holder memory;

    @GuardedBy("this")
    private boolean closed;

    /**
     * An empty window.
     *
     * @param leastPuts remembered in any case; 0 for no put at all
     * @param memory for further ones
     */
    DedupeWindow(int leastPuts, Duration maxAge, DedupeMemory memory) {
        this.leastPuts = leastPuts;
        this.memory = memory.holder();
        maxAgeNanos = maxAge.toNanos();
    }

    /**
     * What an equal put has in common with this one, but for the bytes themselves; of a put with a key, the key alone.
     *
     * @param blocks the only block; none of several
     * @param digest of several blocks, empty of one
     */
    record Identity(String sequenceId, List<BlockIdentity> blocks, String digest) {
        static Identity of(String sequenceId, List<BlockIdentity> blocks) {
            return Put.Key.parse(sequenceId)
                    .map(put -> new Identity(brief(put.key()), List.of(), ""))
                    .orElseGet(() -> ofBlocks(brief(sequenceId), blocks));
        }

        private static Identity ofBlocks(String sequenceId, List<BlockIdentity> blocks) {
            return blocks.size() == 1
                    ? new Identity(sequenceId, List.copyOf(blocks), "")
                    : new Identity(sequenceId, List.of(), BlockIdentity.digest(blocks));
        }
    }

    /** What an equal block has in common with this one, but for the bytes themselves. */
    record BlockIdentity(int checksum, int bytes, int messages, int compression, long createTimestamp) {
        static BlockIdentity of(Block block, int checksum) {
            return new BlockIdentity(
                    checksum,
                    block.bytes().remaining(),
                    block.messages(),
                    block.compression(),
                    block.createTimestamp());
        }

        static String digest(List<BlockIdentity> blocks) {
            ByteBuffer all = ByteBuffer.allocate(blocks.size() * (4 * Integer.BYTES + Long.BYTES));
            for (BlockIdentity each : blocks) {
                all.putInt(each.checksum).putInt(each.bytes).putInt(each.messages);
                all.putInt(each.compression).putLong(each.createTimestamp);
            }
            return DedupeWindow.digest(all.array());
        }
    }

    /** An earlier put: its number, where it stands, when it came, and what is known of its answer. */
    record Remembered(String sequenceId, long firstOffset, long nanos, PutTicket ticket) {
        Remembered {
            sequenceId = brief(sequenceId);
        }

        /** Whether a put has its sequence id. */
        boolean hasId(String other) {
            return sequenceId.equals(brief(other));
        }
    }

    /** A sequence id as it is kept: itself, or a digest of one that is very long. */
    private static String brief(String sequenceId) {
        return sequenceId.length() <= LONGEST_KEPT_ID
                ? sequenceId
                : digest(sequenceId.getBytes(StandardCharsets.UTF_8));
    }

    private static String digest(byte[] bytes) {
        try {
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("every JDK has SHA-256", e);
        }
    }

    static Identity identity(Put put, int[] checksums) {
        BlockIdentity[] blocks = new BlockIdentity[checksums.length];
        for (int i = 0; i < checksums.length; i++) {
            blocks[i] = BlockIdentity.of(put.blocks().get(i), checksums[i]);
        }
        return Identity.of(put.sequenceId(), List.of(blocks));
    }

    /** The put that this one may repeat; the caller compares the bytes. */
    synchronized Optional<Remembered> find(Identity identity, Put.Origin origin, long nowNanos) {
        Remembered earlier = puts.get(identity);
        if (earlier == null || nowNanos - earlier.nanos > maxAgeNanos) {
            return Optional.empty();
        }
        boolean repeated = origin == Put.Origin.UNIQUE || earlier.ticket.isUnanswered();
        return repeated ? Optional.of(earlier) : Optional.empty();
    }

    /** Remembers a put, unless it has no id: without one two puts are two, however equal. */
    synchronized void remember(Identity identity, Remembered put) {
        if (leastPuts == 0 || closed || identity.sequenceId.isEmpty()) {
            return;
        }
        puts.remove(identity);
        puts.put(identity, put);
        while (puts.size() > 1 && isOldestOld(put.nanos)) {
            removeOldest();
        }
        count();
        while (memory.isOver()) {
            removeOldest();
            count();
        }
    }

    /** Removes a put that was rolled back: it may come as if for the first time. */
    synchronized void forget(Identity identity, PutTicket ticket) {
        puts.computeIfPresent(identity, (key, put) -> put.ticket == ticket ? null : put);
        count();
    }

    /** Forgets what is too old, also of a log that takes no puts any more. */
    synchronized void sweep(long nowNanos) {
        while (!puts.isEmpty() && isOldestOld(nowNanos)) {
            removeOldest();
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
        return nowNanos - puts.values().iterator().next().nanos > maxAgeNanos;
    }

    @GuardedBy("this")
    private void removeOldest() {
        Iterator<Remembered> oldest = puts.values().iterator();
        oldest.next();
        oldest.remove();
    }

    @GuardedBy("this")
    private void count() {
        memory.hold(Math.max(0, puts.size() - leastPuts));
    }

    synchronized int size() {
        return puts.size();
    }
}
