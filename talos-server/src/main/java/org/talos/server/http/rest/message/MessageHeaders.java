// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.message;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpField;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.rest.RequestHeaders;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.thrift.Message;

/**
 * The parts of a message beside its bytes, as headers of HTTP: {@code Talos-Key}, {@code Talos-Tag},
 * {@code Talos-Timestamp} and {@code Talos-Header-…}, percent-encoded, and the content type.
 *
 * <p>Immutable.
 */
public final class MessageHeaders {
    public static final String CONTENT_TYPE = "content-type";
    public static final String KEY = "Talos-Key";
    public static final String TAG = "Talos-Tag";
    public static final String TIMESTAMP = "Talos-Timestamp";
    public static final String OFFSET = "Talos-Offset";
    private static final String PREFIX = "talos-header-";
    private static final int MAX_KEY_BYTES = 256;
    private static final int MAX_HEADERS = 64;
    private static final int MAX_HEADER_BYTES = 8 << 10;

    /**
     * Bytes of a message's headers as HTTP/1.1 writes them, content type included. With the headers that every answer
     * has, a whole head stays below 4 KiB: proxies such as nginx answer 502 to a larger one unless they are configured
     * for it, and Jetty takes at most 8 KiB.
     */
    static final int MAX_ENCODED_BYTES = 3_328;

    private static final String UNKNOWN_TYPE = "application/octet-stream";
    private static final int SEPARATOR_BYTES = 4; // colon and space, and the line's end

    /** A media type as RFC 9110 has it, and parameters of visible characters. No part can match in two ways. */
    private static final Pattern MEDIA_TYPE =
            Pattern.compile("[\\w!#$%&'*+.^`|~-]++/[\\w!#$%&'*+.^`|~-]++(?:[ \\t]*+;[ -~\\t]*+)?+");

    private MessageHeaders() {}

    /** Everything of a message but its bytes. */
    public static Message read(RequestHeaders fields, long nowMillis) {
        Message message = new Message();
        message.setMessage(new byte[0]);
        String key = only(fields, KEY);
        if (key != null) {
            setKey(message, decoded(KEY, key));
        }
        String tag = only(fields, TAG);
        if (tag != null) {
            message.setTag(decoded(TAG, tag));
        }
        message.setCreateTimestamp(timestamp(only(fields, TIMESTAMP), nowMillis));
        Map<String, String> headers = new HashMap<>();
        for (HttpField field : fields.covered()) {
            String name = field.getLowerCaseName();
            String value = String.valueOf(field.getValue());
            if (name.startsWith(PREFIX) && name.length() > PREFIX.length()) {
                putOnce(headers, name.substring(PREFIX.length()), decoded(name, value));
            } else if (name.equals(CONTENT_TYPE)) {
                putOnce(headers, CONTENT_TYPE, ascii(name, value));
            }
        }
        setHeaders(message, headers);
        requireReadable(message);
        return message;
    }

    private static @Nullable String only(RequestHeaders fields, String name) {
        return fields.contains(name) ? fields.single(name, "") : null;
    }

    /** Refuses a second value of a name, which is one also in other letters: one of the two would be lost. */
    private static <V> void putOnce(Map<String, V> headers, String name, V value) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (headers.put(lower, value) != null) {
            throw ProblemException.badRequest("header " + Json.shown(lower)
                    + " comes more than once (expected: each name once; capitals make no difference)");
        }
    }

    private static long timestamp(@Nullable String text, long nowMillis) {
        if (text == null) {
            return nowMillis;
        }
        try {
            long millis = Long.parseLong(text);
            if (millis >= 0) {
                return millis;
            }
        } catch (NumberFormatException e) {
            throw ProblemException.badRequest("header " + TIMESTAMP + " (expected: milliseconds since 1970)");
        }
        throw ProblemException.badRequest("header " + TIMESTAMP + " (expected: milliseconds since 1970)");
    }

    /** Sets a key, if it is one that every client can read. */
    static void setKey(Message message, String key) {
        int bytes = key.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > MAX_KEY_BYTES) {
            throw ProblemException.badRequest("a key of " + bytes + " bytes (expected: 1.." + MAX_KEY_BYTES + ")");
        }
        message.setPartitionKey(key);
    }

    /** Sets headers, as many as a message may have. */
    static void setHeaders(Message message, Map<String, String> headers) {
        if (headers.isEmpty()) {
            return;
        }
        Map<String, ByteBuffer> bytes = new HashMap<>();
        int sum = 0;
        for (Map.Entry<String, String> each : headers.entrySet()) {
            ByteBuffer value = StandardCharsets.UTF_8.encode(each.getValue());
            putOnce(bytes, each.getKey(), value);
            sum += each.getKey().length() + value.remaining();
        }
        if (bytes.size() > MAX_HEADERS || sum > MAX_HEADER_BYTES) {
            throw ProblemException.badRequest(
                    "more than " + MAX_HEADERS + " headers, or " + MAX_HEADER_BYTES + " bytes of them");
        }
        message.setHeaders(bytes);
    }

    /**
     * Refuses a message that could not be read as bytes because its headers are too large.
     *
     * @throws ProblemException 400
     */
    public static void requireReadable(Message message) {
        long bytes = encodedBytes(message);
        if (bytes > MAX_ENCODED_BYTES) {
            throw ProblemException.badRequest("key, tag, and headers take " + bytes
                    + " bytes or more as percent-encoded HTTP headers (expected: at most " + MAX_ENCODED_BYTES
                    + "): put the rest into the message");
        }
    }

    /**
     * Returns the bytes that {@link #describe} adds for a message, but for offset and time. Encodes nothing. Beyond
     * {@value #MAX_ENCODED_BYTES}, the result is a lower bound, and long values are not decoded.
     */
    private static long encodedBytes(Message message) {
        long bytes = 0;
        if (message.isSetPartitionKey()) {
            bytes += KEY.length() + SEPARATOR_BYTES + encodedLength(message.getPartitionKey());
        }
        if (message.isSetTag()) {
            bytes += TAG.length() + SEPARATOR_BYTES + encodedLength(message.getTag());
        }
        for (Map.Entry<String, ByteBuffer> each : headers(message).entrySet()) {
            String name = each.getKey();
            ByteBuffer value = each.getValue();
            boolean isLong = value.remaining() > MAX_ENCODED_BYTES;
            if (name.equals(CONTENT_TYPE)) {
                bytes += name.length()
                        + SEPARATOR_BYTES
                        + (isLong ? value.remaining() : text(value).length());
            } else if (isToken(name)) {
                bytes += PREFIX.length() + name.length() + SEPARATOR_BYTES;
                bytes += isLong ? value.remaining() : encodedLength(text(value));
            }
        }
        return bytes;
    }

    private static Map<String, ByteBuffer> headers(Message message) {
        return message.isSetHeaders() ? message.getHeaders() : Map.of();
    }

    private static String text(ByteBuffer value) {
        return StandardCharsets.UTF_8.decode(value.duplicate()).toString();
    }

    /** Returns the length of {@link #encoded}: one character for each byte that stays, else three. */
    private static int encodedLength(String value) {
        int length = 0;
        for (int i = 0; i < value.length(); i++) {
            char each = value.charAt(i);
            if (each < 0x80) {
                length += isUnreserved(each) ? 1 : 3;
            } else if (each < 0x800) {
                length += 6;
            } else {
                length += Character.isSurrogate(each) ? 6 : 9; // a pair has four bytes of UTF-8
            }
        }
        return length;
    }

    private static boolean isUnreserved(char each) {
        return (each >= 'a' && each <= 'z')
                || (each >= 'A' && each <= 'Z')
                || (each >= '0' && each <= '9')
                || ".-*_".indexOf(each) >= 0;
    }

    /** Returns the message's content type, or {@code application/octet-stream} without one that is a media type. */
    public static String contentType(Message message) {
        ByteBuffer value = headers(message).get(CONTENT_TYPE);
        String type = value == null || value.remaining() > MAX_ENCODED_BYTES ? UNKNOWN_TYPE : text(value);
        return MEDIA_TYPE.matcher(type).matches() ? type : UNKNOWN_TYPE;
    }

    /**
     * The headers of an answer that is nothing but the message's bytes.
     *
     * @throws ProblemException 406: they are too large, as those of a message that was not put over REST may be
     */
    public static RestAnswer describe(RestAnswer answer, Message message, long offset) {
        long bytes = encodedBytes(message);
        if (bytes > MAX_ENCODED_BYTES) {
            throw ProblemException.refused(
                    406,
                    "headers-too-large",
                    "key, tag, and headers of message " + offset + " take " + bytes
                            + " bytes or more as HTTP headers (at most " + MAX_ENCODED_BYTES
                            + "): get it as JSON, with Accept: application/json");
        }
        RestAnswer described = answer.with(OFFSET, Long.toString(offset));
        if (message.isSetPartitionKey()) {
            described = described.with(KEY, encoded(message.getPartitionKey()));
        }
        if (message.isSetTag()) {
            described = described.with(TAG, encoded(message.getTag()));
        }
        if (message.isSetCreateTimestamp()) {
            described = described.with(TIMESTAMP, Long.toString(message.getCreateTimestamp()));
        }
        for (Map.Entry<String, ByteBuffer> each : headers(message).entrySet()) {
            if (!each.getKey().equals(CONTENT_TYPE) && isToken(each.getKey())) {
                described = described.with(PREFIX + each.getKey(), encoded(text(each.getValue())));
            }
        }
        return described;
    }

    /** Returns whether HTTP can carry the name of a header that came another way. */
    private static boolean isToken(String name) {
        return name.chars().allMatch(c -> c > ' ' && c < 0x7f && "()<>@,;:\\\"/[]?={}".indexOf(c) < 0);
    }

    /** Refuses malformed UTF-8, which the JDK's decoder would replace. */
    private static String decoded(String name, String value) {
        try {
            String bytes = URLDecoder.decode(ascii(name, value).replace("+", "%2B"), StandardCharsets.ISO_8859_1);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(StandardCharsets.ISO_8859_1.encode(bytes))
                    .toString();
        } catch (IllegalArgumentException | CharacterCodingException e) {
            throw ProblemException.badRequest("header " + name + " (expected: percent-encoded UTF-8)");
        }
    }

    /** Refuses characters outside ASCII, which would arrive as other text in a header. */
    private static String ascii(String name, String value) {
        if (value.chars().anyMatch(each -> each > 0x7e)) {
            throw ProblemException.badRequest(
                    "header " + name + " (expected: ASCII, other characters percent-encoded as UTF-8)");
        }
        return value;
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
