// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.util.OptionalLong;

/**
 * The acknowledgement of a message that is stored, or of several that were put together. Immutable.
 *
 * @param topic topic of the message
 * @param partition partition of the message
 * @param offset offset of the message in the partition, from 0; of several, that of the first: the others stand
 *     directly behind it, in their order. Empty where the acknowledgement has none: that of a call, which is what a put
 *     is unless the client has streams
 */
public record PutResult(String topic, int partition, OptionalLong offset) {
    /** A result without an offset. */
    public PutResult(String topic, int partition) {
        this(topic, partition, OptionalLong.empty());
    }
}
