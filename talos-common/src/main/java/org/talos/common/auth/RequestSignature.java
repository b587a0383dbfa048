// SPDX-License-Identifier: Apache-2.0
package org.talos.common.auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
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
    /** Seconds since 1970 on the client's clock, corrected by what a server's refusal showed. */
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
    /** The only other headers that are signed; a request has many. */
    private static final Set<String> STANDARD = Set.of("content-md5", "content-type", "date");

    private static final String EXPIRES = "Expires";
    private static final String HMAC = "HmacSHA1";
    private static final Set<String> SUB_RESOURCES =
            Set.of("acl", "quota", "uploads", "partNumber", "uploadId", "storageAccessToken", "metadata");

    // Cloned for each use, as a look-up goes through the list of providers.
    private static final Mac MAC = mac();
    private static final MessageDigest MD5 = digest();

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
     * The string of a request that is signed.
     *
     * @param path path, decoded, without host and query
     * @param query query without {@code ?}, or null
     * @param headers headers, with names in any case; several values of one are joined by commas
     */
    public static String stringToSign(
            String method, String path, @Nullable String query, Map<String, List<String>> headers) {
        List<Header> signed = new ArrayList<>();
        Map<String, String> standard = new HashMap<>();
        headers.forEach((name, values) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (lower.startsWith(SIGNED_PREFIX)) {
                signed.add(new Header(lower, String.join(",", values)));
            } else if (STANDARD.contains(lower)) {
                standard.merge(lower, String.join(",", values), (one, other) -> one + "," + other);
            }
        });
        signed.sort(Comparator.comparing(Header::name)); // stable: the values of one name stay in order
        Map<String, String> parameters = parameters(query);
        StringBuilder text = new StringBuilder(256)
                .append(method)
                .append('\n')
                .append(standard.getOrDefault("content-md5", ""))
                .append('\n')
                .append(standard.getOrDefault("content-type", ""))
                .append('\n')
                .append(dateLine(signed, standard, parameters));
        String before = "";
        for (Header each : signed) {
            if (each.name.equals(before)) {
                text.append(',').append(each.value);
            } else {
                text.append('\n').append(each.name).append(':').append(each.value);
            }
            before = each.name;
        }
        return resource(text.append('\n').append(path), parameters).toString();
    }

    /** A signed header, its name in lower case. Immutable. */
    private record Header(String name, String value) {}

    private static String dateLine(List<Header> signed, Map<String, String> standard, Map<String, String> parameters) {
        String expires = parameters.get(EXPIRES);
        if (expires != null) {
            return expires;
        }
        for (Header each : signed) {
            if (each.name.equals(DATE)) {
                return "";
            }
        }
        return standard.getOrDefault("date", "");
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
        if (query != null) {
            for (String part : query.split("&", -1)) {
                int equals = part.indexOf('=');
                String name = equals < 0 ? part : part.substring(0, equals);
                if (name.equals(EXPIRES) || SUB_RESOURCES.contains(name)) { // what calls have is neither
                    parameters.put(name, equals < 0 ? "" : part.substring(equals + 1));
                }
            }
        }
        return parameters;
    }

    /** The HMAC-SHA1 of a string under a secret, 20 bytes. */
    public static byte[] hmac(String secret, String stringToSign) {
        try {
            Mac mac = (Mac) MAC.clone();
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), HMAC));
            return mac.doFinal(stringToSign.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException | CloneNotSupportedException e) {
            throw new LinkageError("the JDK's " + HMAC + " can be cloned", e);
        }
    }

    /** The signature of a string in the form of the header. */
    public static String sign(String secret, String stringToSign) {
        return Base64.getEncoder().encodeToString(hmac(secret, stringToSign));
    }

    /** Whether a header's signature is this HMAC, compared in constant time for a given length. */
    public static boolean matches(byte[] hmac, String base64) {
        byte[] expected = Base64.getEncoder().encode(hmac);
        return MessageDigest.isEqual(expected, base64.getBytes(StandardCharsets.UTF_8));
    }

    /** The MD5 of a body. */
    public static byte[] md5(byte[] body) {
        return md5(ByteBuffer.wrap(body));
    }

    /** The MD5 of a body, whose position is not changed. */
    public static byte[] md5(ByteBuffer body) {
        return md5(List.of(body));
    }

    private static byte[] md5(List<ByteBuffer> parts) {
        try {
            MessageDigest md5 = (MessageDigest) MD5.clone();
            parts.forEach(part -> md5.update(part.duplicate()));
            return md5.digest();
        } catch (CloneNotSupportedException e) {
            throw new LinkageError("the JDK's MD5 can be cloned", e);
        }
    }

    /** The MD5 of a body as 32 hex digits. */
    public static String md5Hex(byte[] body) {
        return HexFormat.of().formatHex(md5(body));
    }

    /** The MD5 of a body in parts, whose positions are not changed, as 32 hex digits. */
    public static String md5Hex(List<ByteBuffer> parts) {
        return HexFormat.of().formatHex(md5(parts));
    }

    /** Whether a header has this MD5; leading zeros and case do not matter. */
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
