// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.rest.json.Problem;

/** Where the pieces of an answer without end come from. Confined: asked for one piece at a time. */
public interface StreamSource {
    /** Completes with the next piece, once there is one. Fails to end the stream. An empty piece ends it silently. */
    CompletionStage<Piece> next();

    /** Returns a heartbeat, which is written while no piece is available. Fails to end the stream. */
    ByteBuffer sign();

    /** Ends the source: no more pieces are taken. Thread-safe. */
    void close();

    /** Returns the last piece: the problem that ends the answer. */
    ByteBuffer last(Problem problem);

    /**
     * The piece that a source gives at once. Immutable, but for the body.
     *
     * @param body rendered while it is written
     * @param release releases the memory of the body's source; runs once, when the body has been written or never will
     *     be
     */
    record Piece(Body body, Runnable release) {
        /** The end of a stream. */
        public static Piece end() {
            return of(ByteBuffer.allocate(0));
        }

        /** Returns a piece that is small, and there already. */
        public static Piece of(ByteBuffer bytes) {
            return new Piece(new Bytes(List.of(bytes)), () -> {});
        }
    }
}
