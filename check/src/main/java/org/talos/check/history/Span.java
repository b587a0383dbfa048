// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

/**
 * Start and end of an operation by the monotonic and the wall clock. Checks use the monotonic one; the other is for
 * finding the time in logs. Immutable.
 *
 * @param start monotonic, nanoseconds since the history began
 * @param wallStart milliseconds since 1970
 */
public record Span(long start, long end, long wallStart, long wallEnd) {}
