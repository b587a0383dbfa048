// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.talos.server.fuzz.Fuzzed;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.MessageDecoder;
import org.talos.server.http.stream.incoming.StreamEndException;

/**
 * A message of a client over a stream: read in pieces of any size it is the same, or refused for the same, as read
 * whole.
 *
 * <p>Immutable.
 */
public final class StreamFuzz {
    private static final int MULTIPLE = 20;
    private static final int LARGEST_BYTES = 64 << 10;

    private StreamFuzz() {}

    /** Reads one input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        Fuzzed.within(input.length, MULTIPLE, () -> {
            ByteBuffer in = ByteBuffer.wrap(input);
            int piece = 1 + Fuzzed.next(in);
            boolean hasMemory = Fuzzed.next(in) != 1;
            byte[] message = Fuzzed.rest(in);
            Fuzzed.same(read(message, piece, hasMemory), read(message, message.length, hasMemory));
        });
    }

    /** The message, or the code with which the stream is closed. */
    private static Object read(byte[] message, int piece, boolean hasMemory) {
        MessageDecoder decoder = new MessageDecoder((bytes, key, body) -> {
            if (bytes > LARGEST_BYTES) {
                throw new StreamEndException(CloseCode.TOO_LARGE, "too large");
            }
            return hasMemory;
        });
        try {
            int at = 0;
            while (message.length - at > piece) {
                Fuzzed.same(decoder.take(ByteBuffer.wrap(message, at, piece), false) == null, true);
                at += piece;
            }
            return Objects.requireNonNull(
                    decoder.take(ByteBuffer.wrap(message, at, message.length - at), true), "no message at its end");
        } catch (StreamEndException e) {
            return e.code();
        }
    }
}
