// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

/**
 * The limits of a read. One block is always allowed; otherwise a reader of larger blocks could not proceed. Immutable.
 *
 * @param messages most messages
 * @param bytes most bytes of blocks
 */
public record BlockLimits(int messages, long bytes) {
    /** Memory for blocks that a read takes from storage. Confined: one read. */
    @FunctionalInterface
    public interface Room {
        /** For readers whose memory is not counted. */
        Room UNBOUNDED = bytes -> true;

        /** Reserves room for a block before it is read; returns false if there is not enough. */
        boolean tryTake(long bytes);
    }

    Count count() {
        return new Count(this);
    }

    /** Counts the blocks of a read. Confined: one read. */
    static final class Count {
        private final BlockLimits limits;
        private long messages;
        private long bytes;

        private Count(BlockLimits limits) {
            this.limits = limits;
        }

        /** Accepts a block if there is room for it. */
        boolean take(StoredBlock block) {
            int ofBlock = block.block().bytes().remaining();
            if (!fits(block.block().messages(), ofBlock)) {
                return false;
            }
            messages += block.block().messages();
            bytes += ofBlock;
            return true;
        }

        /** Returns whether there is room for a block. */
        boolean fits(int ofMessages, int ofBytes) {
            return messages == 0 || (messages + ofMessages <= limits.messages && bytes + ofBytes <= limits.bytes);
        }
    }
}
