// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

/**
 * The bounds of a partition as its server reported them at a time. Immutable.
 *
 * @param nanos of this server's monotonic clock, when it learned them
 */
public record SeenBounds(LogBounds bounds, long nanos) {}
