// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.talos.server.http.body.Body;

/**
 * The content of a JSON string, without its quotes, from a text of any length, which is never encoded as a whole.
 *
 * <p>Confined: the writer of one answer.
 */
final class StringText implements Body {
    private static final int ENCODED_AT_ONCE = 1 << 10;

    private final CharBuffer characters;
    private final CharsetEncoder encoder = StandardCharsets.UTF_8
            .newEncoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final ByteBuffer some;
    private EscapedText encoded = new EscapedText(ByteBuffer.allocate(0));

    StringText(CharSequence text) {
        characters = CharBuffer.wrap(text);
        some = ByteBuffer.allocate((int) Math.min(ENCODED_AT_ONCE, 4 + 3L * text.length()));
    }

    @Override
    public void fill(ByteBuffer target) {
        encoded.fill(target);
        while (encoded.isDone() && characters.hasRemaining()) {
            some.clear();
            var unused = encoder.encode(characters, some, true);
            encoded = new EscapedText(some.flip());
            encoded.fill(target);
        }
    }

    @Override
    public boolean isDone() {
        return encoded.isDone() && !characters.hasRemaining();
    }

    @Override
    public long mostBytes() {
        return encoded.mostBytes() + (long) EscapedText.MOST_GROWTH * characters.remaining();
    }
}
