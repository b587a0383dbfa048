// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

/**
 * A partition as people name it. Immutable.
 *
 * @param topic the topic's name, which is that of a later one when it was deleted and made again, or its resource name
 */
public record PartitionName(String topic, int number) {}
