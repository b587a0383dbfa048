// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The header {@code traceparent} of W3C Trace Context: which trace something belongs to, and which span of it is above.
 *
 * <p>Immutable.
 */
public final class TraceParent {
    /** The header's name, of requests and of messages. */
    public static final String NAME = "traceparent";

    /** The length in version 00, {@code 00-<trace>-<span>-<flags>}; a later version begins likewise. */
    private static final int LENGTH = 55;

    private static final int VERSION_DIGITS = 2;
    private static final int TRACE = 3;
    private static final int SPAN = 36;
    private static final int FLAGS = 53;

    private TraceParent() {}

    /**
     * Parses a header as version 00, and so in 55 characters.
     *
     * @return empty if it is none, or not valid by the specification: it then counts as not sent
     */
    public static Optional<String> of(@Nullable String header) {
        return header != null && isValid(header)
                ? Optional.of("00" + header.substring(VERSION_DIGITS, LENGTH))
                : Optional.empty();
    }

    private static boolean isValid(String header) {
        if (header.length() < LENGTH
                || !areDigits(header, 0, VERSION_DIGITS)
                || header.startsWith("ff")
                || !hasRightEnd(header)) {
            return false;
        }
        return header.charAt(TRACE - 1) == '-'
                && isIdentifier(header, TRACE, SPAN - 1)
                && header.charAt(SPAN - 1) == '-'
                && isIdentifier(header, SPAN, FLAGS - 1)
                && header.charAt(FLAGS - 1) == '-'
                && areDigits(header, FLAGS, LENGTH);
    }

    /** Later versions may say more, behind a hyphen. */
    private static boolean hasRightEnd(String header) {
        return header.length() == LENGTH || (!header.startsWith("00") && header.charAt(LENGTH) == '-');
    }

    /** Identifiers of zeros alone are none. */
    private static boolean isIdentifier(String text, int from, int to) {
        return areDigits(text, from, to) && text.substring(from, to).chars().anyMatch(each -> each != '0');
    }

    /** Returns whether a text has only hexadecimal digits, in small letters. */
    private static boolean areDigits(String text, int from, int to) {
        return text.substring(from, to)
                .chars()
                .allMatch(each -> (each >= '0' && each <= '9') || (each >= 'a' && each <= 'f'));
    }
}
