// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import org.talos.server.http.rest.json.Problem;

/** Where the pieces of an answer without end come from. Confined: asked for one piece at a time. */
public interface StreamSource {
    /** The next piece, once there is one. Fails to end the stream. */
    CompletionStage<ByteBuffer> next();

    /** The last piece: the problem that ends the answer. */
    ByteBuffer last(Problem problem);
}
