// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

/**
 * The failure to read messages because a producer put a block that is broken, or because the block needs more memory
 * than this program allows. The code is {@code MALFORMED}. To skip the block, continue at {@code lastOffset() + 1}.
 *
 * <p>Immutable.
 */
public final class UnreadableBlockException extends FatalException {
    private final String topic;
    private final int partition;
    private final long firstOffset;
    private final long lastOffset;

    /**
     * Creates the failure to read one block.
     *
     * @param topic the topic's name
     * @param reason the second half of a sentence
     */
    public UnreadableBlockException(
            String topic, int partition, long firstOffset, long lastOffset, String reason, Throwable cause) {
        super(
                "MALFORMED",
                "MALFORMED: partition " + partition + " of " + topic + ": the block of offsets " + firstOffset + " to "
                        + lastOffset + " cannot be read: " + reason + "; to leave it out, continue at "
                        + (lastOffset + 1),
                cause);
        this.topic = topic;
        this.partition = partition;
        this.firstOffset = firstOffset;
        this.lastOffset = lastOffset;
    }

    /** Returns the topic's name. */
    public String topic() {
        return topic;
    }

    /** Returns the number of the block's partition. */
    public int partition() {
        return partition;
    }

    /** Returns the offset of the block's first message. */
    public long firstOffset() {
        return firstOffset;
    }

    /** Returns the offset of the block's last message. */
    public long lastOffset() {
        return lastOffset;
    }
}
