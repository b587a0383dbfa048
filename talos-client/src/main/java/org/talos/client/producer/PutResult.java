// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

/**
 * A message that is stored. Immutable.
 *
 * @param topic its topic
 * @param partition its partition; the protocol does not tell the offset
 */
public record PutResult(String topic, int partition) {}
