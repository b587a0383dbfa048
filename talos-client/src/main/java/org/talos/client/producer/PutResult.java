// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.util.OptionalLong;

/**
 * The acknowledgement of a message that is stored, or of several that were put together. Immutable.
 *
 * @param topic topic of the message
 * @param partition partition of the message
 * @param offset offset of the message in the partition, from 0. Of several messages, that of the first: the others
 *     follow directly behind it, in their order. Empty if the acknowledgement has none, as for puts by calls, which are
 *     the default
 */
public record PutResult(String topic, int partition, OptionalLong offset) {
    /** Creates a result without an offset. */
    public PutResult(String topic, int partition) {
        this(topic, partition, OptionalLong.empty());
    }
}
