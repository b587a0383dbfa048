// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.IOException;

/** The server has closed a stream, with one of the codes of WebSockets. Immutable. */
final class StreamClosedException extends IOException {
    private static final long serialVersionUID = 1;

    private final int code;

    StreamClosedException(int code, String reason) {
        super("the server closed the stream: " + code + " " + reason);
        this.code = code;
    }

    int code() {
        return code;
    }
}
