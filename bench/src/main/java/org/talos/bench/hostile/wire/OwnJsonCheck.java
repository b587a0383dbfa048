// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Accepts JSON, lines of JSON, and events of JSON in which every long string is a run of {@link #CONTENT}: messages of
 * the attacker's own, and problems. Short strings may be any printable ASCII.
 *
 * <p>Confined: its connection.
 */
public final class OwnJsonCheck implements Check {
    /** The byte of which all messages consist that the attacker reads as JSON. */
    public static final byte CONTENT = 7;

    private static final byte[] ESCAPED = "\\u0007".getBytes(StandardCharsets.US_ASCII);
    private static final int LONGEST_OTHER = 1_000; // of a problem, whose detail may name limits
    private static final int LONGEST_WORD = 16;
    private static final String PUNCTUATION = "{}[]:,.-+ \r\n";

    private boolean inString;
    private boolean escaped;
    private boolean own; // whether the string began as a run of the content
    private int length; // of the string or the word

    @Override
    public void accept(ByteBuffer bytes) throws ForeignBytesException {
        while (bytes.hasRemaining()) {
            byte next = bytes.get();
            if (!(inString ? isOfString(next) : isOutside(next))) {
                throw new ForeignBytesException("no JSON of the attacker's own", bytes.position(bytes.position() - 1));
            }
        }
    }

    private boolean isOutside(byte next) {
        if (next == '"') {
            inString = true;
            escaped = false;
            own = true;
            length = 0;
            return true;
        }
        if (PUNCTUATION.indexOf(next) >= 0) {
            length = 0;
            return true;
        }
        length++;
        boolean word = (next >= 'a' && next <= 'z') || (next >= '0' && next <= '9') || next == 'E';
        return word && length <= LONGEST_WORD;
    }

    private boolean isOfString(byte next) {
        if (next == '"' && !escaped) {
            inString = false;
            length = 0;
            return true;
        }
        escaped = next == '\\' && !escaped;
        own &= next == ESCAPED[length % ESCAPED.length];
        length = own ? (length + 1) % ESCAPED.length : length + 1;
        return own || (length <= LONGEST_OTHER && next >= ' ' && next <= '~');
    }
}
