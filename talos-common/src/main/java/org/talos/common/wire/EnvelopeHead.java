// SPDX-License-Identifier: Apache-2.0
package org.talos.common.wire;

/**
 * The head of a Thrift message. Immutable.
 *
 * @param method name of the method
 * @param type a value of TMessageType
 * @param sequence sequence number of the call, repeated in its answer
 */
public record EnvelopeHead(String method, byte type, int sequence) {}
