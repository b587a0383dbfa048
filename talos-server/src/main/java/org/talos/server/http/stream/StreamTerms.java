// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

/**
 * The terms that apply to a stream from its opening on. Immutable.
 *
 * @param window bytes that either side may send before the other grants more
 * @param largestPut bytes of the largest message of a put
 * @param partitions of the topic
 * @param mayPut whether its credentials allow puts at all; a token's do not
 */
record StreamTerms(int window, int largestPut, int partitions, boolean mayPut) {}
