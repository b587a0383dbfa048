// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.util.Optional;

/**
 * Reads names of files that earlier versions wrote with the default locale's digits, such as Arabic or Persian ones, in
 * place of ASCII digits.
 *
 * <p>Immutable.
 */
public final class AsciiDigits {
    private static final int FIRST_NOT_ASCII = 0x80;

    private AsciiDigits() {}

    /** Returns whether a name has only ASCII characters, as all names of this version have. */
    public static boolean isAscii(String name) {
        return name.chars().allMatch(each -> each < FIRST_NOT_ASCII);
    }

    /** Returns the name with ASCII digits in place of all others; empty if it has no others. */
    public static Optional<String> of(String name) {
        if (isAscii(name)) {
            return Optional.empty();
        }
        StringBuilder ascii = new StringBuilder(name.length());
        name.codePoints()
                .map(each -> Character.isDigit(each) ? '0' + Character.digit(each, 10) : each)
                .forEach(ascii::appendCodePoint);
        return name.contentEquals(ascii) ? Optional.empty() : Optional.of(ascii.toString());
    }
}
