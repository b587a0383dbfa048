// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

/**
 * When something began and when its end was known, by both clocks. Checks go by the monotonic one; the other is for
 * those who look into logs. Immutable.
 *
 * @param start monotonic, nanoseconds since the history began
 * @param wallStart milliseconds since 1970
 */
public record Span(long start, long end, long wallStart, long wallEnd) {}
