// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.client;

import org.jspecify.annotations.Nullable;

/** A connection that may begin with a header of the PROXY protocol. Thread-safe. */
public interface ProxiedEndPoint {
    /** Returns the client that a trusted proxy has named; null if it has named none, or has no client. */
    @Nullable
    ProxyHeader proxyHeader();
}
