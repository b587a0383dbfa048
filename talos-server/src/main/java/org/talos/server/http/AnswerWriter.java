// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingNestedCallback;

/**
 * Writes the buffers of an answer through one buffer of Jetty's pool, each time it is full. Jetty writes one buffer at
 * a time, and the JDK copies what is in the heap into memory of its own before it goes to the socket: this copy takes
 * its place, so that nothing is copied twice, and many small buffers are one write.
 *
 * <p>Thread-safe.
 */
final class AnswerWriter extends IteratingNestedCallback {
    /** The largest that is pooled: a piece costs a turn of Jetty's, a call of the system, and often a wake-up there. */
    static final int PIECE_BYTES = 256 << 10;

    private final Response response;
    private final Iterator<ByteBuffer> buffers;
    private final RetainableByteBuffer piece;
    private ByteBuffer next;
    private long unwritten;

    private AnswerWriter(Response response, List<ByteBuffer> buffers, long length, Callback callback) {
        super(callback);
        this.response = response;
        this.buffers = buffers.iterator();
        next = this.buffers.next();
        unwritten = length;
        piece = response.getRequest()
                .getComponents()
                .getByteBufferPool()
                .acquire((int) Math.min(length, PIECE_BYTES), true);
    }

    /**
     * Writes an answer.
     *
     * @param buffers one or more
     * @param length of the buffers together
     */
    static void write(Response response, List<ByteBuffer> buffers, long length, Callback callback) {
        if (length == 0 || (buffers.size() == 1 && length <= PIECE_BYTES)) {
            response.write(true, buffers.get(0), callback);
        } else {
            new AnswerWriter(response, buffers, length, callback).iterate();
        }
    }

    @Override
    protected Action process() {
        if (unwritten == 0) {
            return Action.SUCCEEDED;
        }
        ByteBuffer full = piece.getByteBuffer();
        BufferUtil.clearToFill(full);
        while (full.hasRemaining() && unwritten > full.position()) {
            copy(full);
        }
        BufferUtil.flipToFlush(full, 0);
        unwritten -= full.remaining();
        response.write(unwritten == 0, full, this);
        return Action.SCHEDULED;
    }

    private void copy(ByteBuffer target) {
        while (!next.hasRemaining()) {
            next = buffers.next();
        }
        int bytes = Math.min(next.remaining(), target.remaining());
        target.put(target.position(), next, next.position(), bytes);
        target.position(target.position() + bytes);
        next.position(next.position() + bytes);
    }

    @Override
    protected void onCompleteSuccess() {
        piece.release();
        super.onCompleteSuccess();
    }

    @Override
    protected void onCompleteFailure(Throwable cause) {
        piece.release(); // nobody writes from it any more
        super.onCompleteFailure(cause);
    }
}
