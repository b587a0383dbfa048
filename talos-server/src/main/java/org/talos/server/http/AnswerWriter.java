// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingNestedCallback;

/** Writes the buffers of an answer one after another, each when the one before has been written. Thread-safe. */
final class AnswerWriter extends IteratingNestedCallback {
    private static final int JOINED_BYTES = 16 << 10;

    private final Response response;
    private final Iterator<ByteBuffer> buffers;

    private AnswerWriter(Response response, List<ByteBuffer> buffers, Callback callback) {
        super(callback);
        this.response = response;
        this.buffers = buffers.iterator();
    }

    /** Writes an answer. Small ones go out in one write; the blocks of large ones are not copied. */
    static void write(Response response, List<ByteBuffer> buffers, long length, Callback callback) {
        if (buffers.size() == 1) {
            response.write(true, buffers.get(0), callback);
        } else if (length <= JOINED_BYTES) {
            ByteBuffer joined = ByteBuffer.allocate((int) length);
            buffers.forEach(joined::put);
            response.write(true, joined.flip(), callback);
        } else {
            new AnswerWriter(response, buffers, callback).iterate();
        }
    }

    @Override
    protected Action process() {
        if (!buffers.hasNext()) {
            return Action.SUCCEEDED;
        }
        ByteBuffer next = buffers.next();
        response.write(!buffers.hasNext(), next, this);
        return Action.SCHEDULED;
    }
}
