// SPDX-License-Identifier: Apache-2.0
package org.talos.common.auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Signs requests and checks signatures: base64 of HMAC-SHA1, under the secret's characters, over method, three standard
 * headers, all {@code x-xiaomi-} headers and the path. The contract covers the body by the MD5 header only, and of the
 * query only a few parameters.
 *
 * <p>Thread-safe.
 */
public final class RequestSignature {
    /** Seconds since 1970 by the client's clock, corrected by a server's refusal. */
    public static final String TIMESTAMP = "X-Xiaomi-Timestamp";
    /** The client's clock, not corrected, as an RFC 1123 date. */
    public static final String DATE = "x-xiaomi-date";
    /** MD5 of the body in hex; one SDK leaves leading zeros out. */
    public static final String CONTENT_MD5 = "X-Xiaomi-Content-MD5";
    /** The header with scheme, key and signature. */
    public static final String AUTHORIZATION = "Authorization";
    /** The user on whose behalf a trusted service acts; not signed. */
    public static final String ATTACHED_INFO = "Attached-Info";

    private static final String SIGNED_PREFIX = "x-xiaomi-";
    private static final Comparator<SignedHeader> BY_NAME = Comparator.comparing(SignedHeader::name);

    private static final String EXPIRES = "Expires";
    private static final String HMAC = "HmacSHA1";
    private static final Set<String> SUB_RESOURCES =
            Set.of("acl", "quota", "uploads", "partNumber", "uploadId", "storageAccessToken", "metadata");

    // As long as the longest head that the thread has seen.
    private static final ThreadLocal<StringBuilder> TEXT = ThreadLocal.withInitial(() -> new StringBuilder(256));

    // One for each thread: a look-up goes through the list of providers, and a copy has to make its working memory
    // again.
    private static final ThreadLocal<Mac> MAC = ThreadLocal.withInitial(RequestSignature::mac);
    private static final ThreadLocal<MessageDigest> MD5 = ThreadLocal.withInitial(RequestSignature::digest);

    private RequestSignature() {}

    private static Mac mac() {
        try {
            return Mac.getInstance(HMAC);
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has " + HMAC, e);
        }
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has MD5", e);
        }
    }

    /**
     * Returns the string of a request that is signed.
     *
     * @param path path, decoded, without host and query
     * @param query query without {@code ?}, or null
     * @param headers headers, with names in any case; several values of one are joined by commas
     */
    public static String stringToSign(
            String method, String path, @Nullable String query, Map<String, List<String>> headers) {
        List<SignedHeader> list = new ArrayList<>(headers.size());
        headers.forEach((name, values) -> list.add(new SignedHeader(name, String.join(",", values))));
        return stringToSign(method, path, query, list);
    }

    /**
     * Returns the string of a request that is signed.
     *
     * @param path path, decoded, without host and query
     * @param query query without {@code ?}, or null
     * @param headers headers as they came, also such as are not signed
     */
    public static String stringToSign(String method, String path, @Nullable String query, List<SignedHeader> headers) {
        Map<String, String> parameters = parameters(query);
        StringBuilder text = TEXT.get();
        text.setLength(0);
        text.append(method).append('\n');
        appendValues(text, headers, "content-md5").append('\n');
        appendValues(text, headers, "content-type").append('\n');
        appendDate(text, headers, parameters.get(EXPIRES));
        List<SignedHeader> sorted = new ArrayList<>(headers);
        sorted.sort(BY_NAME); // stable: the values of one name stay in order
        String before = "";
        for (SignedHeader each : sorted) {
            if (each.name().startsWith(SIGNED_PREFIX)) {
                if (each.name().equals(before)) {
                    text.append(',').append(each.value());
                } else {
                    text.append('\n').append(each.name()).append(':').append(each.value());
                }
                before = each.name();
            }
        }
        return resource(text.append('\n').append(path), parameters).toString();
    }

    private static StringBuilder appendValues(StringBuilder text, List<SignedHeader> headers, String name) {
        boolean first = true;
        for (SignedHeader each : headers) {
            if (each.name().equals(name)) {
                text.append(first ? "" : ",").append(each.value());
                first = false;
            }
        }
        return text;
    }

    private static void appendDate(StringBuilder text, List<SignedHeader> headers, @Nullable String expires) {
        if (expires != null) {
            text.append(expires);
            return;
        }
        for (SignedHeader each : headers) {
            if (each.name().equals(DATE)) {
                return;
            }
        }
        appendValues(text, headers, "date");
    }

    private static StringBuilder resource(StringBuilder text, Map<String, String> parameters) {
        char separator = '?';
        for (Map.Entry<String, String> parameter : parameters.entrySet()) {
            if (SUB_RESOURCES.contains(parameter.getKey())) {
                text.append(separator).append(parameter.getKey());
                if (!parameter.getValue().isEmpty()) {
                    text.append('=').append(parameter.getValue());
                }
                separator = '&';
            }
        }
        return text;
    }

    private static Map<String, String> parameters(@Nullable String query) {
        Map<String, String> parameters = new TreeMap<>();
        for (int begin = 0; query != null && begin <= query.length(); ) {
            int end = indexOf('&', query, begin, query.length());
            int endOfName = indexOf('=', query, begin, end);
            String name = query.substring(begin, endOfName);
            if (name.equals(EXPIRES) || SUB_RESOURCES.contains(name)) { // calls have neither
                parameters.put(name, query.substring(Math.min(endOfName + 1, end), end));
            }
            begin = end + 1;
        }
        return parameters;
    }

    /** Returns where the character is first, or {@code end}. */
    private static int indexOf(char character, String text, int begin, int end) {
        int at = begin;
        while (at < end && text.charAt(at) != character) {
            at++;
        }
        return at;
    }

    /** Returns the HMAC-SHA1 of a string under a secret, 20 bytes. */
    public static byte[] hmac(String secret, String stringToSign) {
        Mac mac = MAC.get();
        try {
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), HMAC));
        } catch (GeneralSecurityException e) {
            throw new LinkageError("any secret is a key of " + HMAC, e);
        }
        return mac.doFinal(stringToSign.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the signature of a string in the form of the header. */
    public static String sign(String secret, String stringToSign) {
        return Base64.getEncoder().encodeToString(hmac(secret, stringToSign));
    }

    /** Returns whether a header's signature is this HMAC, compared in constant time for a given length. */
    public static boolean matches(byte[] hmac, String base64) {
        byte[] expected = Base64.getEncoder().encode(hmac);
        return MessageDigest.isEqual(expected, base64.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the MD5 of a body. */
    public static byte[] md5(byte[] body) {
        return md5(ByteBuffer.wrap(body));
    }

    /** Returns the MD5 of a body, whose position is not changed. */
    public static byte[] md5(ByteBuffer body) {
        return md5(List.of(body));
    }

    private static byte[] md5(List<ByteBuffer> parts) {
        MessageDigest md5 = MD5.get();
        md5.reset(); // of bytes that an error may have left
        for (ByteBuffer part : parts) {
            md5.update(part.duplicate());
        }
        return md5.digest();
    }

    /** Returns the MD5 of a body as 32 hex digits. */
    public static String md5Hex(byte[] body) {
        return HexFormat.of().formatHex(md5(body));
    }

    /** Returns the MD5 of a body in parts, whose positions are not changed, as 32 hex digits. */
    public static String md5Hex(List<ByteBuffer> parts) {
        return HexFormat.of().formatHex(md5(parts));
    }

    /** Returns whether a header has this MD5; leading zeros and case do not matter. */
    public static boolean md5Matches(String header, byte[] md5) {
        return withoutLeadingZeros(header.trim().toLowerCase(Locale.ROOT))
                .equals(withoutLeadingZeros(HexFormat.of().formatHex(md5)));
    }

    private static String withoutLeadingZeros(String hex) {
        int first = 0;
        while (first < hex.length() && hex.charAt(first) == '0') {
            first++;
        }
        return hex.substring(first);
    }
}
