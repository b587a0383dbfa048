// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

/**
 * A JSON value as somebody has written it. A tree would write some numbers, such as {@code -0} and {@code 1e400}, and
 * escapes in texts in another way.
 *
 * <p>Immutable.
 */
public final class WrittenJson {
    private WrittenJson() {}

    /**
     * Returns a value without the white space between its parts, so that it stands on one line. All else is as it is
     * written.
     *
     * @param json has a valid value there; the part behind the value is not read
     * @param start index of the value's first character
     */
    public static String at(String json, int start) {
        return switch (json.charAt(start)) {
            case '"' -> json.substring(start, endOfText(json, start));
            case '{', '[' -> structure(json, start);
            default -> json.substring(start, endOfWord(json, start));
        };
    }

    private static String structure(String json, int start) {
        StringBuilder value = new StringBuilder();
        int depth = 0;
        int at = start;
        do {
            char next = json.charAt(at);
            depth += step(next);
            int end = next == '"' ? endOfText(json, at) : at + 1;
            if (!isSpace(next)) {
                value.append(json, at, end);
            }
            at = end;
        } while (depth > 0);
        return value.toString();
    }

    /** Returns the end of a number, or of true, false or null. */
    private static int endOfWord(String json, int start) {
        int at = start;
        while (at < json.length() && ",]}".indexOf(json.charAt(at)) < 0 && !isSpace(json.charAt(at))) {
            at++;
        }
        return at;
    }

    private static int step(char character) {
        return switch (character) {
            case '{', '[' -> 1;
            case '}', ']' -> -1;
            default -> 0;
        };
    }

    private static int endOfText(String json, int quote) {
        int at = quote + 1;
        while (json.charAt(at) != '"') {
            at += json.charAt(at) == '\\' ? 2 : 1; // the character after a backslash does not end the text
        }
        return at + 1;
    }

    private static boolean isSpace(char character) {
        return character == ' ' || character == '\t' || character == '\n' || character == '\r';
    }
}
