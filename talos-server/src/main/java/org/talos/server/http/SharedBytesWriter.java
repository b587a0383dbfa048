// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingNestedCallback;
import org.talos.server.http.body.SharedBytes;

/**
 * Writes bytes that many answers share, piece by piece, without a copy that lasts as long as the answer.
 *
 * <p>Thread-safe.
 */
final class SharedBytesWriter extends IteratingNestedCallback {
    private final Response response;
    private final SharedBytes bytes;
    private boolean last;

    private SharedBytesWriter(Response response, SharedBytes bytes, Callback callback) {
        super(callback);
        this.response = response;
        this.bytes = bytes;
    }

    static void write(Response response, SharedBytes bytes, Callback callback) {
        new SharedBytesWriter(response, bytes, callback).iterate();
    }

    @Override
    protected Action process() {
        if (last) {
            return Action.SUCCEEDED;
        }
        ByteBuffer piece = bytes.next();
        last = bytes.isDone();
        response.write(last, piece, this);
        return Action.SCHEDULED;
    }
}
