// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import java.nio.ByteBuffer;

/**
 * Bytes that are looked for in others, by Knuth, Morris and Pratt: each byte is looked at twice at most, whatever the
 * pattern and the bytes are. A client chooses both.
 *
 * <p>Immutable.
 */
final class BytePattern {
    private final byte[] pattern;
    private final int[] longestBorders; // of the pattern's beginnings

    /** @param pattern at least one byte; is kept */
    BytePattern(byte[] pattern) {
        this.pattern = pattern;
        longestBorders = new int[pattern.length];
        int border = 0;
        for (int i = 1; i < pattern.length; i++) {
            while (border > 0 && pattern[i] != pattern[border]) {
                border = longestBorders[border - 1];
            }
            border += pattern[i] == pattern[border] ? 1 : 0;
            longestBorders[i] = border;
        }
    }

    /** Returns whether the bytes, whose position stays, have the pattern somewhere. */
    boolean isIn(ByteBuffer bytes) {
        int found = 0;
        for (int i = bytes.position(); i < bytes.limit(); i++) {
            byte each = bytes.get(i);
            while (found > 0 && each != pattern[found]) {
                found = longestBorders[found - 1];
            }
            if (each == pattern[found] && ++found == pattern.length) {
                return true;
            }
        }
        return false;
    }
}
