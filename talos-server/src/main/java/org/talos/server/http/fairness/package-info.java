// SPDX-License-Identifier: Apache-2.0
/**
 * The turns that keep one user or one address from delaying the others: turns on the threads with connections
 * ({@link org.talos.server.http.fairness.UserTurns}), and counts of events that cost the server more than the client
 * ({@link org.talos.server.http.fairness.EventCounts}). Both decide without threads; time is an argument.
 */
@NullMarked
package org.talos.server.http.fairness;

import org.jspecify.annotations.NullMarked;
