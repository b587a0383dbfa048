// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.List;

/**
 * Blocks that are appended together or not at all. Immutable.
 *
 * @param sequenceId the client's number of the put
 * @param origin how far that number identifies it
 * @param blocks one or more
 */
public record Put(String sequenceId, PutOrigin origin, List<Block> blocks) {
    /** Refuses a put of nothing. */
    public Put {
        blocks = List.copyOf(blocks);
        if (blocks.isEmpty()) {
            throw new IllegalArgumentException("blocks: none (expected: 1 or more)");
        }
    }

    /** Messages of all blocks. */
    public int messages() {
        return blocks.stream().mapToInt(Block::messages).sum();
    }
}
