// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import org.eclipse.jetty.server.HttpStream;

/**
 * The HTTP stream of a request that opens a WebSocket. It reports when Jetty has finished the request. By then Jetty
 * has opened the WebSocket or never will. It never does, and notifies no other listener, if the client resets the
 * HTTP/2 stream between the last byte of the answer and the opening.
 *
 * <p>Confined: one request.
 */
public final class AnsweredOpening extends HttpStream.Wrapper {
    private final Runnable done;

    /**
     * Wraps the HTTP stream of a request.
     *
     * @param done runs after Jetty has opened the WebSocket or given it up
     */
    public AnsweredOpening(HttpStream wrapped, Runnable done) {
        super(wrapped);
        this.done = done;
    }

    @Override
    public void succeeded() {
        try {
            super.succeeded();
        } finally {
            done.run();
        }
    }

    @Override
    public void failed(Throwable cause) {
        try {
            super.failed(cause);
        } finally {
            done.run();
        }
    }
}
