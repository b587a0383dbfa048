// SPDX-License-Identifier: Apache-2.0
/**
 * The sender of a request: the other end of its connection, or whom trusted proxies name. Entry:
 * {@link org.talos.server.http.client.RequestClient}; {@link org.talos.server.http.client.ForwardedClients} reads what
 * proxies say of a request, {@link org.talos.server.http.client.ProxyHeader} what they say of a connection. No threads.
 */
@NullMarked
package org.talos.server.http.client;

import org.jspecify.annotations.NullMarked;
