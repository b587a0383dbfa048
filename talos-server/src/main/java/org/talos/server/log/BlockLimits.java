// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

/**
 * How much a read may return; one block is always allowed, or a reader of large ones would never get on. Immutable.
 *
 * @param messages most messages
 * @param bytes most bytes of blocks
 */
public record BlockLimits(int messages, long bytes) {
    Count count() {
        return new Count(this);
    }

    /** Counts the blocks that a read has taken. Confined: one read. */
    static final class Count {
        private final BlockLimits limits;
        private long messages;
        private long bytes;

        private Count(BlockLimits limits) {
            this.limits = limits;
        }

        /** Takes a block if there is room for it. */
        boolean take(StoredBlock block) {
            long moreMessages = messages + block.block().messages();
            long moreBytes = bytes + block.block().bytes().remaining();
            if (messages > 0 && (moreMessages > limits.messages || moreBytes > limits.bytes)) {
                return false;
            }
            messages = moreMessages;
            bytes = moreBytes;
            return true;
        }
    }
}
