// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import org.talos.server.auth.Principal;

/**
 * A call that is being run. Immutable.
 *
 * @param deadlineNanos by when it is to be answered if it names no deadline of its own
 */
public record CallContext(Principal principal, ClientInfo client, long arrivedNanos, long deadlineNanos) {}
