// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.IOException;
import java.util.Map;

/** A server, or a proxy in front of it, has refused the opening of a stream. Immutable. */
final class UpgradeRefusedException extends IOException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final transient Map<String, String> headers;

    /** @param headers by names in lower case */
    UpgradeRefusedException(int status, Map<String, String> headers, String body) {
        super("no stream: " + status + " " + body.strip());
        this.status = status;
        this.headers = Map.copyOf(headers);
    }

    int status() {
        return status;
    }

    Map<String, String> headers() {
        return headers;
    }
}
