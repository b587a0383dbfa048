// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingNestedCallback;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.body.SharedBytes;

/**
 * Writes the body of an answer through one buffer of Jetty's pool, each time it is full. Jetty writes one buffer at a
 * time, and the JDK copies what is in the heap into memory of its own before it goes to the socket: this copy takes its
 * place, so that nothing is copied twice, and many small buffers are one write. What is rendered never exists as a
 * whole, and is rendered only as fast as the client reads.
 *
 * <p>Thread-safe.
 */
final class AnswerWriter extends IteratingNestedCallback {
    /** The largest that is pooled: a piece costs a turn of Jetty's, a call of the system, and often a wake-up there. */
    static final int PIECE_BYTES = 256 << 10;

    /** Of what is rendered: a selector renders so much in a fraction of a millisecond. */
    static final int RENDERED_PIECE_BYTES = 64 << 10;

    private final Response response;
    private final Body body;
    private final Executor heavy;
    private final int pieceBytes;
    private final RetainableByteBuffer piece;
    private boolean begun;

    private AnswerWriter(Response response, Body body, Executor heavy, Callback callback) {
        super(callback);
        this.response = response;
        this.body = body;
        this.heavy = heavy;
        pieceBytes = (int) Math.max(Body.LEAST_ROOM_BYTES, bufferBytes(body));
        piece = response.getRequest().getComponents().getByteBufferPool().acquire(pieceBytes, true);
    }

    /** Returns the size of the buffer through which a body is written. */
    private static long bufferBytes(Body body) {
        return Math.min(body.mostBytes(), body.isMeasured() ? PIECE_BYTES : RENDERED_PIECE_BYTES);
    }

    /** Returns the memory that a body takes while it is written, besides what it is rendered from. */
    static long memory(Body body) {
        if (body instanceof SharedBytes) {
            return 0;
        }
        return body.isMeasured() ? body.mostBytes() : bufferBytes(body);
    }

    /**
     * Writes an answer.
     *
     * @param heavy renders what follows the first piece, off the threads that have connections
     */
    static void write(Response response, Body body, Executor heavy, Callback callback) {
        if (body.isMeasured()) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.mostBytes());
        }
        if (body instanceof SharedBytes shared) {
            SharedBytesWriter.write(response, shared, callback);
            return;
        }
        Optional<ByteBuffer> single = body instanceof Bytes bytes ? bytes.single(PIECE_BYTES) : Optional.empty();
        if (body.isDone() || single.isPresent()) {
            response.write(true, single.orElse(BufferUtil.EMPTY_BUFFER), callback);
        } else {
            new AnswerWriter(response, body, heavy, callback).iterate();
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
        ByteBuffer full = piece.getByteBuffer();
        BufferUtil.clearToFill(full);
        full.limit(Math.min(full.limit(), pieceBytes));
        body.fill(full);
        BufferUtil.flipToFlush(full, 0);
        boolean last = body.isDone();
        if (last && !begun) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, full.remaining());
        }
        begun = true;
        response.write(last, full, this);
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
