// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream.incoming;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Where a client's messages come from, piece by piece: binary ones, or texts. Confined: one stream. */
public interface MessageSource {
    /** Returns whether the messages are texts. */
    boolean isText();

    /**
     * Takes a piece of a message.
     *
     * @param last whether the message ends with it
     * @return the message, if it does; else null
     * @throws StreamEndException the message is not of its form, or not admitted
     */
    @Nullable
    ClientMessage take(ByteBuffer piece, boolean last) throws StreamEndException;

    /** Bytes that have come so far of the message that has begun. */
    long received();

    /** Releases the memory of a message that will not end; may be called again. */
    void close();
}
