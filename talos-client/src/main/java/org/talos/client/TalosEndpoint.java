// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.net.URI;
import java.time.Duration;

/**
 * The address of a server and the key to call it with. Immutable; its text has no secret.
 *
 * @param uri scheme, host and port, and a path if a proxy serves the server below one, see {@link ServerAddress}
 * @param accessKey id of the caller's key
 * @param secretKey secret of that key; signs requests and is never sent
 * @param timeout of a call, answer included
 */
public record TalosEndpoint(URI uri, String accessKey, String secretKey, Duration timeout) {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

    /** Refuses anything but the address of a server. */
    public TalosEndpoint {
        uri = ServerAddress.of(uri);
    }

    /** Creates an endpoint with the default timeout of 10 s. */
    public TalosEndpoint(URI uri, String accessKey, String secretKey) {
        this(uri, accessKey, secretKey, DEFAULT_TIMEOUT);
    }

    @Override
    public String toString() {
        return "TalosEndpoint[uri=" + uri + ", accessKey=" + accessKey + ", secretKey=***]";
    }
}
