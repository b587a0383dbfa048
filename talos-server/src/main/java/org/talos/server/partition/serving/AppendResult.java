// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

/**
 * A put that is stored. Immutable.
 *
 * @param firstOffset of its first message; the others follow without a gap
 * @param unanswered runs if the client does not get the answer: a repetition of the put is then recognized
 */
public record AppendResult(long firstOffset, Runnable unanswered) {}
