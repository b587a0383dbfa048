// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Blocks that are appended together or not at all. They keep hardly more memory alive than their bytes: what they were
 * read from is free once its request has ended. Immutable.
 *
 * @param sequenceId the client's number of the put
 * @param origin how far that number identifies it
 * @param blocks one or more
 */
public record Put(String sequenceId, Origin origin, List<Block> blocks) {
    /** Refuses a put of nothing, and what an entry has no room for: later it would harm the puts beside it. */
    public Put {
        blocks = blocks.stream().map(Block::trimmed).toList();
        if (blocks.isEmpty()) {
            throw new IllegalArgumentException("blocks: none (expected: 1 or more)");
        }
        if (blocks.size() > EntryFormat.MAX_BLOCKS_OF_PUT) {
            throw new IllegalArgumentException(
                    "blocks: " + blocks.size() + " (expected: at most " + EntryFormat.MAX_BLOCKS_OF_PUT + ")");
        }
        int bytes = sequenceId.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > EntryFormat.MAX_SEQUENCE_ID_BYTES) {
            throw new IllegalArgumentException(
                    "sequenceId: " + bytes + " bytes (expected: at most " + EntryFormat.MAX_SEQUENCE_ID_BYTES + ")");
        }
    }

    /** Messages of all blocks. */
    public int messages() {
        return blocks.stream().mapToInt(Block::messages).sum();
    }

    /** How far a client's sequence ids identify its puts. */
    public enum Origin {
        /** Each put has its own: an equal put is a repetition. */
        UNIQUE,
        /** Many puts share one: an equal put is a repetition only if the earlier one is known not to have succeeded. */
        REPEATED
    }
}
