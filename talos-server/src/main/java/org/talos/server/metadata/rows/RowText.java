// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

/**
 * The length of texts in rows, which are JSON in UTF-8.
 *
 * <p>Immutable.
 */
public final class RowText {
    private static final int ESCAPED_BYTES = 6; // such as \u0001
    private static final int LAST_OF_ONE_BYTE = 0x7f;
    private static final int LAST_OF_TWO_BYTES = 0x7ff;

    private RowText() {}

    /** Returns the bytes that a text takes in a row at most, without its quotes. */
    public static long bytes(String text) {
        return text.chars().mapToLong(RowText::bytes).sum();
    }

    private static long bytes(int character) {
        if (character < ' ' || Character.isSurrogate((char) character)) {
            return ESCAPED_BYTES;
        }
        if (character <= LAST_OF_ONE_BYTE) {
            return character == '"' || character == '\\' ? 2 : 1;
        }
        return character <= LAST_OF_TWO_BYTES ? 2 : 3;
    }
}
