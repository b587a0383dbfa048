// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.client;

import org.jspecify.annotations.Nullable;

/** A connection that may begin with a header of the PROXY protocol. Thread-safe. */
public interface ProxiedEndPoint {
    /** Returns what a trusted proxy has said of its client; null if it has said nothing, or has no client. */
    @Nullable
    ProxyHeader proxyHeader();
}
