// SPDX-License-Identifier: Apache-2.0
/**
 * The sender of a request: the other end of its connection, or the client that trusted proxies name. Entry:
 * {@link org.talos.server.http.client.RequestClient}. {@link org.talos.server.http.client.ForwardedClients} reads the
 * headers that proxies add to a request, {@link org.talos.server.http.client.ProxyHeader} the header that they send on
 * a connection. No threads.
 */
@NullMarked
package org.talos.server.http.client;

import org.jspecify.annotations.NullMarked;
