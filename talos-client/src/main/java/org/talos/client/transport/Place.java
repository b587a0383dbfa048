// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/**
 * A partition that a call is about.
 *
 * <p>Immutable.
 *
 * @param topic its name
 * @param resourceName names this incarnation of it
 */
public record Place(String topic, String resourceName, int partition) {
    /** As the wire has it. */
    public TopicAndPartition toThrift() {
        return new TopicAndPartition(topic, new TopicTalosResourceName(resourceName), partition);
    }
}
