// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

/**
 * The identity and deadline that go with a request between servers. Immutable.
 *
 * @param caller the client on whose behalf it is, for logs
 * @param deadlineNanos by when it is to be answered, of {@link org.talos.server.runtime.Ticker}; what remains is sent
 */
public record ForwardContext(String caller, long deadlineNanos) {}
