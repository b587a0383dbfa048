// SPDX-License-Identifier: Apache-2.0
package org.talos.common.auth;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Computes the digest by which the signature of a request covers the parts that {@link RequestSignature} leaves out:
 * the query and the headers that change the effect of the request. The digest is the value of a signed header. Public
 * SDKs do not send it, because their calls have no such parts.
 *
 * <p>The value is {@code v1:} and the SHA-256, in hexadecimal digits, of lines that each end with a line feed: the text
 * {@code v1}, the query without {@code ?}, and one line {@code name:value} for each covered header. Names are in lower
 * case and sorted. A header that comes more than once has as many lines, in the order of arrival. Query, names, and
 * values consist of printable ASCII and names have no colon, so two different requests never have the same text.
 *
 * <p>Thread-safe.
 */
public final class RequestDigest {
    /** The header with the digest. */
    public static final String HEADER = "X-Xiaomi-Request-Digest";

    private static final String VERSION = "v1";
    private static final String MESSAGE_PREFIX = "talos-";
    private static final Set<String> OTHERS =
            anyCase("attached-info", "content-encoding", "idempotency-key", "last-event-id");

    private static final Comparator<SignedHeader> BY_NAME = Comparator.comparing(SignedHeader::name);
    private static final char FIRST_PRINTABLE = ' ';
    private static final char LAST_PRINTABLE = '~';

    // One for each thread: a look-up goes through the list of providers.
    private static final ThreadLocal<MessageDigest> SHA_256 = ThreadLocal.withInitial(RequestDigest::sha256);

    private RequestDigest() {}

    private static Set<String> anyCase(String... names) {
        Set<String> set = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        Collections.addAll(set, names);
        return Collections.unmodifiableSet(set);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has SHA-256", e);
        }
    }

    /** Returns whether the digest covers the headers of this name, which may be in any case. */
    public static boolean covers(String name) {
        return name.regionMatches(true, 0, MESSAGE_PREFIX, 0, MESSAGE_PREFIX.length()) || OTHERS.contains(name);
    }

    /**
     * Returns the value of the header.
     *
     * @param query query as it is sent, without {@code ?}; null if there is none
     * @param headers all headers or the covered ones, as they are sent
     * @throws IllegalArgumentException if query or headers have other characters than printable ASCII
     */
    public static String of(@Nullable String query, List<SignedHeader> headers) {
        String text = text(query, headers);
        if (text == null) {
            throw new IllegalArgumentException("query or header (expected: printable characters of ASCII)");
        }
        return value(text);
    }

    /**
     * Returns whether a header's value is the digest of this query and of these headers. Compares in constant time.
     *
     * @param query query as it came, without {@code ?}; null if there is none
     * @param headers all headers or the covered ones, as they came
     */
    public static boolean matches(String value, @Nullable String query, List<SignedHeader> headers) {
        String text = text(query, headers);
        return text != null && MessageDigest.isEqual(value(text).getBytes(US_ASCII), value.getBytes(US_ASCII));
    }

    private static String value(String text) {
        byte[] digest = SHA_256.get().digest(text.getBytes(US_ASCII));
        return VERSION + ":" + HexFormat.of().formatHex(digest);
    }

    /** Returns the text that is digested; null if another request could have the same one. */
    private static @Nullable String text(@Nullable String query, List<SignedHeader> headers) {
        StringBuilder text = new StringBuilder(256).append(VERSION).append('\n');
        String asked = query == null ? "" : query;
        boolean isUnambiguous = isPrintable(asked);
        text.append(asked).append('\n');
        for (SignedHeader each : covered(headers)) {
            isUnambiguous &= isPrintable(each.name()) && each.name().indexOf(':') < 0 && isPrintable(each.value());
            text.append(each.name()).append(':').append(each.value()).append('\n');
        }
        return isUnambiguous ? text.toString() : null;
    }

    private static List<SignedHeader> covered(List<SignedHeader> headers) {
        List<SignedHeader> covered = new ArrayList<>(headers.size());
        for (SignedHeader each : headers) {
            if (covers(each.name())) {
                covered.add(each);
            }
        }
        covered.sort(BY_NAME); // stable: the values of one name stay in order
        return covered;
    }

    private static boolean isPrintable(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < FIRST_PRINTABLE || text.charAt(i) > LAST_PRINTABLE) {
                return false;
            }
        }
        return true;
    }
}
