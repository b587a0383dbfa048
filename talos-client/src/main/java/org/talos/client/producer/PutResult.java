// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

/**
 * The acknowledgement of a message that is stored. Immutable.
 *
 * @param topic topic of the message
 * @param partition partition of the message; the protocol has no offset here
 */
public record PutResult(String topic, int partition) {}
