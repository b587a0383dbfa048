// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import org.eclipse.jetty.http2.api.Stream;
import org.jspecify.annotations.Nullable;

/** The data that a client has sent on an HTTP/2 stream without a reader. Thread-safe. */
public final class StreamData {
    private StreamData() {}

    /** Drops the received data, and so returns its window to the client. */
    public static void drop(Stream stream) {
        boolean last = false;
        while (!last) {
            Stream.@Nullable Data data = stream.readData();
            last = data == null || data.frame().isEndStream(); // Jetty returns the end again and again
            if (data != null) {
                data.release();
            }
        }
    }
}
