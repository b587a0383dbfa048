// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.talos.server.log.gap.SegmentOffsets;

/**
 * Blocks that are appended together or not at all. They keep hardly more memory alive than their own bytes: the
 * request's buffer is free once the request has ended. Immutable.
 *
 * @param sequenceId the client's number of the put
 * @param origin how far that number identifies it
 * @param blocks one or more
 */
public record Put(String sequenceId, Origin origin, List<Block> blocks) {
    /** How many messages a put may have. */
    public static final int MAX_MESSAGES = SegmentOffsets.MOST_TOGETHER;

    /** Refuses an empty put, and blocks that do not fit into an entry: later they would harm the puts beside them. */
    public Put {
        blocks = trimmed(blocks);
        if (blocks.isEmpty()) {
            throw new IllegalArgumentException("blocks: none (expected: 1 or more)");
        }
        if (blocks.size() > EntryFormat.MAX_BLOCKS_OF_PUT) {
            throw new IllegalArgumentException(
                    "blocks: " + blocks.size() + " (expected: at most " + EntryFormat.MAX_BLOCKS_OF_PUT + ")");
        }
        long messages = messages(blocks);
        if (messages > MAX_MESSAGES) {
            throw new IllegalArgumentException("messages: " + messages + " (expected: at most " + MAX_MESSAGES + ")");
        }
        int bytes = sequenceId.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > EntryFormat.MAX_SEQUENCE_ID_BYTES) {
            throw new IllegalArgumentException(
                    "sequenceId: " + bytes + " bytes (expected: at most " + EntryFormat.MAX_SEQUENCE_ID_BYTES + ")");
        }
    }

    private static List<Block> trimmed(List<Block> blocks) {
        Block[] all = new Block[blocks.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = blocks.get(i).trimmed();
        }
        return List.of(all);
    }

    /** Messages of all blocks. */
    public int messages() {
        return Math.toIntExact(messages(blocks));
    }

    private static long messages(List<Block> blocks) {
        long messages = 0;
        for (Block each : blocks) {
            messages += each.messages();
        }
        return messages;
    }

    /** How well a client's sequence ids identify its puts. */
    public enum Origin {
        /** Each put has its own: an equal put is a repetition. */
        UNIQUE,
        /** Many puts share one: an equal put is a repetition only if the earlier one is known not to have succeeded. */
        REPEATED
    }

    /**
     * A sequence id that is the client's own key of a put, together with a digest of its contents. The key alone
     * identifies a repeated put, and the digest shows whether the client has kept to it. As text: U+0001, key, U+0001,
     * digest.
     *
     * <p>Immutable.
     *
     * @param key no U+0001 in it
     * @param digest the same
     */
    public record Key(String key, String digest) {
        private static final char MARK = '\u0001';

        /** Refuses text that would not be read as it was written. */
        public Key {
            if (key.indexOf(MARK) >= 0 || digest.indexOf(MARK) >= 0) {
                throw new IllegalArgumentException("key or digest with U+0001");
            }
        }

        /** Returns whether a text might be mistaken for a key: no other sequence id begins like one. */
        public static boolean isMarked(String sequenceId) {
            return !sequenceId.isEmpty() && sequenceId.charAt(0) == MARK;
        }

        /** Returns the key in a sequence id, if it has one. */
        static Optional<Key> parse(String sequenceId) {
            int middle = sequenceId.indexOf(MARK, 1);
            return isMarked(sequenceId) && middle > 0
                    ? Optional.of(new Key(sequenceId.substring(1, middle), sequenceId.substring(middle + 1)))
                    : Optional.empty();
        }

        /** Returns the sequence id as an entry holds it. */
        public String sequenceId() {
            return MARK + key + MARK + digest;
        }
    }
}
