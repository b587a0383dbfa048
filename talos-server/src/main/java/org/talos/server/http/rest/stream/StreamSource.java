// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import org.talos.server.http.rest.json.Problem;

/** Where the pieces of an answer without end come from. Confined: asked for one piece at a time. */
public interface StreamSource {
    /** The next piece, once there is one. Fails to end the stream; an empty one ends it without a word. */
    CompletionStage<ByteBuffer> next();

    /** What shows, while a piece is awaited, that the stream is there. Fails to end the stream. */
    ByteBuffer sign();

    /** Nobody takes a piece any more. Thread-safe. */
    void close();

    /** The last piece: the problem that ends the answer. */
    ByteBuffer last(Problem problem);
}
