// SPDX-License-Identifier: Apache-2.0
/**
 * The limits of a connection before its user is known: the number of connections, the rate of new ones, the time for a
 * request's head, and the memory of buffers and heads. Entry types:
 * {@link org.talos.server.http.connection.AcceptBound} and {@link org.talos.server.http.connection.UnfinishedRequests}.
 */
@NullMarked
package org.talos.server.http.connection;

import org.jspecify.annotations.NullMarked;
