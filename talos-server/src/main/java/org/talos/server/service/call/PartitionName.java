// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

/**
 * A partition as people name it. Immutable.
 *
 * @param topic the topic's name, which means the present topic of that name even if it was created again, or its
 *     resource name
 */
public record PartitionName(String topic, int number) {}
