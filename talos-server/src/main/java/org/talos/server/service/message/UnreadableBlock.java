// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

/**
 * A stored block that cannot be read, as its readers learn of it. Immutable.
 *
 * @param first offset of its first message
 * @param last offset of its last one
 * @param reason why, in a sentence's second half
 */
public record UnreadableBlock(int partition, long first, long last, String reason) {
    /** Returns the offset at which a reader continues that leaves it out. */
    public long skip() {
        return last + 1;
    }

    /** Returns the sentence for people. */
    public String sentence() {
        return "partition " + partition + ": the block of offsets " + first + " to " + last + " cannot be read: "
                + reason + "; to leave it out, continue at " + skip();
    }
}
