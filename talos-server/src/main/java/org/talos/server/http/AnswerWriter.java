// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingNestedCallback;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.body.SharedBytes;
import org.talos.server.http.lent.LentBuffer;
import org.talos.server.http.lent.LentBuffers;

/**
 * Writes the body of an answer through one buffer outside the heap, each time it is full. Jetty writes one buffer at a
 * time, and for a heap buffer the JDK makes a copy in native memory before it writes to the socket. This buffer
 * replaces that copy, so that nothing is copied twice, and many small buffers become one write. The body never exists
 * as a whole, and is rendered only as fast as the client reads.
 *
 * <p>Thread-safe.
 */
final class AnswerWriter extends IteratingNestedCallback {
    /** Size of a rendered piece. A selector renders it in a fraction of a millisecond. */
    static final int RENDERED_PIECE_BYTES = 64 << 10;

    private final Response response;
    private final Body body;
    private final Executor heavy;
    private final int pieceBytes;
    private final LentBuffer piece;
    private boolean begun;

    private AnswerWriter(Response response, Body body, Executor heavy, LentBuffers pool, Callback callback) {
        super(callback);
        this.response = response;
        this.body = body;
        this.heavy = heavy;
        pieceBytes = (int) Math.max(Body.LEAST_ROOM_BYTES, bufferBytes(body));
        piece = pool.take(pieceBytes);
    }

    /** Returns the size of the buffer through which a body is written. */
    private static long bufferBytes(Body body) {
        return Math.min(body.mostBytes(), body.isMeasured() ? LentBuffers.LARGEST_BYTES : RENDERED_PIECE_BYTES);
    }

    /** Returns the memory that a body takes while it is written, in addition to its source. */
    static long memory(Body body) {
        if (body instanceof SharedBytes) {
            return 0;
        }
        return body.isMeasured() ? body.mostBytes() : bufferBytes(body);
    }

    /**
     * Writes an answer.
     *
     * @param heavy renders the pieces after the first one, outside of the threads that serve connections
     * @param pool has the buffer that is written from
     */
    static void write(Response response, Body body, Executor heavy, LentBuffers pool, Callback callback) {
        if (body.isMeasured()) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.mostBytes());
        }
        if (body instanceof SharedBytes shared) {
            SharedBytesWriter.write(response, shared, callback);
            return;
        }
        Optional<ByteBuffer> single =
                body instanceof Bytes bytes ? bytes.single(LentBuffers.LARGEST_BYTES) : Optional.empty();
        if (body.isDone() || single.isPresent()) {
            response.write(true, single.orElse(BufferUtil.EMPTY_BUFFER), callback);
        } else {
            new AnswerWriter(response, body, heavy, pool, callback).iterate();
        }
    }

    @Override
    protected Action process() {
        if (begun && body.isDone()) {
            return Action.SUCCEEDED;
        }
        if (begun && !body.isMeasured()) {
            heavy.execute(this::writeMore);
        } else {
            writePiece();
        }
        return Action.SCHEDULED;
    }

    private void writeMore() {
        try {
            writePiece();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    private void writePiece() {
        ByteBuffer full = piece.clear();
        full.limit(Math.min(full.capacity(), pieceBytes));
        body.fill(full);
        full.flip();
        boolean last = body.isDone();
        if (last && !begun) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, full.remaining());
        }
        begun = true;
        response.write(last, full, piece.lend(this));
    }

    @Override
    protected void onCompleteSuccess() {
        piece.close();
        super.onCompleteSuccess();
    }

    @Override
    protected void onCompleteFailure(Throwable cause) {
        piece.close();
        super.onCompleteFailure(cause);
    }
}
