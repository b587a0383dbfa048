// SPDX-License-Identifier: Apache-2.0
package org.talos.common.wire;

/**
 * The head of a Thrift message. Immutable.
 *
 * @param method its name
 * @param type a value of TMessageType
 * @param sequence echoed in the answer
 */
public record Call(String method, byte type, int sequence) {}
