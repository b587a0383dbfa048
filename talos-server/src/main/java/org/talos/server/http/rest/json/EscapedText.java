// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.talos.server.http.body.Body;

/**
 * The content of a JSON string, without its quotes, from UTF-8 bytes. Characters are escaped as by Jackson.
 *
 * <p>Confined: the writer of one answer.
 */
final class EscapedText implements Body {
    /** A control character is six in JSON. */
    static final int MOST_GROWTH = 6;

    private static final int FIRST_PRINTABLE = 0x20;
    private static final byte[][] ESCAPES = escapes();

    private final ByteBuffer text;

    /** @param text bytes that are valid UTF-8; the buffer's position stays */
    EscapedText(ByteBuffer text) {
        this.text = text.duplicate();
    }

    private static byte[][] escapes() {
        byte[][] escapes = new byte['\\' + 1][];
        for (int each = 0; each < FIRST_PRINTABLE; each++) {
            escapes[each] =
                    String.format(java.util.Locale.ROOT, "\\u%04X", each).getBytes(StandardCharsets.US_ASCII);
        }
        escapes['\b'] = new byte[] {'\\', 'b'};
        escapes['\t'] = new byte[] {'\\', 't'};
        escapes['\n'] = new byte[] {'\\', 'n'};
        escapes['\f'] = new byte[] {'\\', 'f'};
        escapes['\r'] = new byte[] {'\\', 'r'};
        escapes['"'] = new byte[] {'\\', '"'};
        escapes['\\'] = new byte[] {'\\', '\\'};
        return escapes;
    }

    private static boolean isEscaped(byte each) {
        return each >= 0 && each <= '\\' && ESCAPES[each] != null;
    }

    /** Returns whether a text stands in a JSON string as it is, with a byte for each character. */
    static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each > '~' || isEscaped((byte) each)) {
                return false;
            }
        }
        return true;
    }

    /** Returns a text of bytes, in which U+FFFD replaces each malformed sequence. */
    static Body repaired(ByteBuffer bytes) {
        return Json.isUtf8(bytes) ? new EscapedText(bytes) : new RepairedText(bytes);
    }

    @Override
    public void fill(ByteBuffer target) {
        while (text.hasRemaining()) {
            copyRun(target);
            if (text.hasRemaining() && isEscaped(text.get(text.position()))) {
                byte[] escape = ESCAPES[text.get(text.position())];
                if (target.remaining() < escape.length) {
                    return;
                }
                target.put(escape);
                text.position(text.position() + 1);
            } else if (!target.hasRemaining()) {
                return;
            }
        }
    }

    /** Copies the bytes up to the next one that is escaped, as far as there is room. */
    private void copyRun(ByteBuffer target) {
        int start = text.position();
        int end = start + Math.min(text.remaining(), target.remaining());
        int at = start;
        while (at < end && !isEscaped(text.get(at))) {
            at++;
        }
        target.put(target.position(), text, start, at - start);
        target.position(target.position() + at - start);
        text.position(at);
    }

    @Override
    public boolean isDone() {
        return !text.hasRemaining();
    }

    @Override
    public long mostBytes() {
        return (long) MOST_GROWTH * text.remaining();
    }
}
