// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.talos.server.fuzz.Fuzzed;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.JsonDecoder;
import org.talos.server.http.stream.incoming.StreamEndException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;

/**
 * A text of a client over a stream: gathered in pieces of any size it is the same as whole, what it reserves is given
 * back, and what is not a message ends the stream by one of the codes for that.
 *
 * <p>Immutable.
 */
public final class StreamJsonFuzz {
    /** As of any JSON, and the pieces. */
    private static final int MULTIPLE = 60;

    private static final int LARGEST_BYTES = 64 << 10;
    private static final long NOW = 1_700_000_000_000L;

    private StreamJsonFuzz() {}

    /** Reads one input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        Fuzzed.within(input.length, MULTIPLE, () -> {
            ByteBuffer in = ByteBuffer.wrap(input);
            int piece = 1 + Fuzzed.next(in);
            byte[] text = Fuzzed.rest(in);
            Fuzzed.same(read(text, piece), read(text, text.length));
        });
    }

    /** The message, or the code with which the stream is closed. */
    private static Object read(byte[] bytes, int piece) {
        MemoryBudget budget = new MemoryBudget(1 << 20);
        JsonDecoder decoder = new JsonDecoder(LARGEST_BYTES, () -> new RequestMemory(budget.of("user")));
        try {
            int at = 0;
            while (bytes.length - at > piece) {
                Fuzzed.same(decoder.take(ByteBuffer.wrap(bytes, at, piece), false) == null, true);
                at += piece;
            }
            ClientMessage whole = decoder.take(ByteBuffer.wrap(bytes, at, bytes.length - at), true);
            ClientMessage.Text text = (ClientMessage.Text) Objects.requireNonNull(whole, "no text at its end");
            ClientMessage message = JsonDecoder.read(text.bytes(), NOW);
            text.memory().close();
            return message instanceof ClientMessage.Wrong wrong ? code(wrong.why()) : message;
        } catch (StreamEndException e) {
            return e.code();
        } finally {
            decoder.close();
            Fuzzed.same(budget.used(), 0L);
        }
    }

    private static CloseCode code(StreamEndException why) {
        Fuzzed.same(why.code() == CloseCode.NOT_JSON || why.code() == CloseCode.MALFORMED, true);
        return why.code();
    }
}
