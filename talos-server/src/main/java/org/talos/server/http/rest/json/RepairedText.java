// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.talos.server.http.body.Body;

/**
 * The content of a JSON string, without its quotes, from bytes that may be malformed UTF-8. Each malformed sequence
 * becomes U+FFFD. The bytes are decoded in small pieces, never as a whole.
 *
 * <p>Confined: the writer of one answer.
 */
final class RepairedText implements Body {
    private static final int DECODED_AT_ONCE = 512;

    private final ByteBuffer bytes;
    private final CharsetDecoder decoder =
            StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPLACE);
    private final CharBuffer some = CharBuffer.allocate(DECODED_AT_ONCE);
    private StringText decoded = new StringText("");

    /** @param bytes any; the buffer's position stays */
    RepairedText(ByteBuffer bytes) {
        this.bytes = bytes.duplicate();
    }

    @Override
    public void fill(ByteBuffer target) {
        decoded.fill(target);
        while (decoded.isDone() && bytes.hasRemaining()) {
            var unused = decoder.decode(bytes, some.clear(), true);
            decoded = new StringText(some.flip());
            decoded.fill(target);
        }
    }

    @Override
    public boolean isDone() {
        return decoded.isDone() && !bytes.hasRemaining();
    }

    @Override
    public long mostBytes() {
        return decoded.mostBytes() + (long) EscapedText.MOST_GROWTH * bytes.remaining();
    }
}
