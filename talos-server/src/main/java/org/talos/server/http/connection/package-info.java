// SPDX-License-Identifier: Apache-2.0
/**
 * The bounds of a connection before its user is known: how many connections there are, how fast they come, how long a
 * request's head may take, and what buffers and heads cost. Entry types:
 * {@link org.talos.server.http.connection.AcceptBound} and {@link org.talos.server.http.connection.UnfinishedRequests}.
 */
@NullMarked
package org.talos.server.http.connection;

import org.jspecify.annotations.NullMarked;
