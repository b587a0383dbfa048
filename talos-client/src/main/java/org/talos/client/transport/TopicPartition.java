// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/**
 * The partition that a call is about. Immutable.
 *
 * @param topic name of its topic
 * @param resourceName names this incarnation of the topic
 * @param number of the partition, from 0
 */
public record TopicPartition(String topic, String resourceName, int number) {
    /** This partition in the protocol's form. */
    public TopicAndPartition toThrift() {
        return new TopicAndPartition(topic, new TopicTalosResourceName(resourceName), number);
    }
}
