// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/** Where the pieces of an answer without end come from. Confined: asked for one piece at a time. */
interface StreamSource {
    /** The next piece, once there is one. Fails to end the stream. */
    CompletionStage<ByteBuffer> next();

    /** The last piece: what the client is told of a failure. */
    ByteBuffer last(Problem problem);
}
