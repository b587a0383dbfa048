// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

/**
 * Where a log begins and ends. Immutable.
 *
 * @param start oldest offset that can be read
 * @param end one past the last acknowledged message
 * @param bytes of what is between
 */
public record LogBounds(long start, long end, long bytes) {}
