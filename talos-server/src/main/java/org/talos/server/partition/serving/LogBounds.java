// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

/**
 * Where a log begins and ends. Immutable.
 *
 * @param start oldest offset that can be read
 * @param end one past the last acknowledged message
 * @param bytes of what is between
 */
public record LogBounds(long start, long end, long bytes) {
    /** Of a partition that a server has and does not serve: it is opening it, or closing it. */
    public static final LogBounds NOT_SERVED = new LogBounds(-1, -1, -1);
}
