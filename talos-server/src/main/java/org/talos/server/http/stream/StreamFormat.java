// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.List;
import org.talos.server.http.rest.json.Problem;

/** The form in which the server's messages are written, by the stream's subprotocol. Immutable. */
interface StreamFormat {
    /** Whether the messages are texts. */
    boolean isText();

    ByteBuffer opened(StreamTerms terms);

    /** Puts that are stored. */
    ByteBuffer stored(List<PutUnderWay> puts);

    ByteBuffer refused(PutUnderWay put, Problem problem);

    ByteBuffer credit(int bytes);

    /** The end of a subscription. */
    ByteBuffer ended(int partition, Problem problem);

    /** @param serves whether who stays is served */
    ByteBuffer move(int afterMillis, boolean serves);
}
