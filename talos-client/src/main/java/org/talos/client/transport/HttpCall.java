// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * A request as it is sent, by POST. Immutable.
 *
 * @param server scheme, host and port; its path is in the target
 * @param target path and query
 * @param headers without those that every HTTP request has
 * @param timeout for a connection, if one must be opened
 */
record HttpCall(URI server, String target, Map<String, String> headers, RequestBody body, Duration timeout) {
    HttpCall {
        headers = Map.copyOf(headers);
    }
}
