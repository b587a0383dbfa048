// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
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
 *
 * <p>Ages are of the monotonic clock: when the machine's clock is put right by an hour nothing is forgotten for it.
 *
 * <p>Confined: to the opening thread, then to the lock of the appender.
 */
final class DedupeWindow {
    private static final int LONGEST_KEPT_ID = 160; // characters

    private final int maxPuts;
    private final long maxAgeNanos;
    private final Map<Identity, Remembered> puts = new LinkedHashMap<>();

    DedupeWindow(int maxPuts, Duration maxAge) {
        this.maxPuts = maxPuts;
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
            return PutKey.parse(sequenceId)
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
        List<BlockIdentity> blocks = new ArrayList<>(checksums.length);
        for (int i = 0; i < checksums.length; i++) {
            blocks.add(BlockIdentity.of(put.blocks().get(i), checksums[i]));
        }
        return Identity.of(put.sequenceId(), blocks);
    }

    /** The put that this one may repeat; the caller compares the bytes. */
    Optional<Remembered> find(Identity identity, Put.Origin origin, long nowNanos) {
        Remembered earlier = puts.get(identity);
        if (earlier == null || nowNanos - earlier.nanos > maxAgeNanos) {
            return Optional.empty();
        }
        // Without an id two puts are two, however equal.
        boolean repeated =
                !identity.sequenceId.isEmpty() && (origin == Put.Origin.UNIQUE || earlier.ticket.isUnanswered());
        return repeated ? Optional.of(earlier) : Optional.empty();
    }

    void remember(Identity identity, Remembered put) {
        puts.remove(identity);
        puts.put(identity, put);
        Iterator<Remembered> oldest = puts.values().iterator();
        while (puts.size() > maxPuts || (oldest.hasNext() && puts.size() > 1 && isOld(put.nanos))) {
            oldest.next();
            oldest.remove();
        }
    }

    /** Removes a put that was rolled back: it may come as if for the first time. */
    void forget(Identity identity, PutTicket ticket) {
        puts.computeIfPresent(identity, (key, put) -> put.ticket == ticket ? null : put);
    }

    private boolean isOld(long nowNanos) {
        return nowNanos - puts.values().iterator().next().nanos > maxAgeNanos;
    }

    int size() {
        return puts.size();
    }
}
