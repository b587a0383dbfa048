// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A message to put. Its bytes are a copy of the program's, which may be reused. Immutable. */
public final class OutgoingMessage {
    private static final int MAX_HEADERS = 64;
    private static final int MAX_HEADER_BYTES = 8 << 10;
    private static final long OWN_HEAP_BYTES = HeapBytes.object(3, 0);

    private final byte[] body; // the only reference
    private final @Nullable String key;
    private final Map<String, byte[]> headers; // by names in lower case; the only references to the arrays

    /**
     * Creates a message with a key and headers; its bytes are copied.
     *
     * @param body any bytes, or none
     * @param key chooses the partition; readers get it as well
     * @param headers texts by name, which readers get as well: those of our SDK, of REST ({@code Talos-Header-…}) and
     *     of the command line; other readers skip them. Names are in lower case, in the order of the map
     * @throws IllegalArgumentException more than 64 headers, or 8 KiB of them, or names that differ only in upper and
     *     lower case, which REST cannot distinguish
     */
    public OutgoingMessage(byte[] body, Optional<String> key, Map<String, String> headers) {
        this(key.orElse(null), utf8(headers), body.clone());
    }

    /** @param own bytes that are not changed elsewhere */
    private OutgoingMessage(@Nullable String key, Map<String, byte[]> headers, byte[] own) {
        if (!headers.isEmpty() && (headers.size() > MAX_HEADERS || bytes(headers) > MAX_HEADER_BYTES)) {
            throw new IllegalArgumentException("headers: " + headers.size() + " of " + bytes(headers)
                    + " bytes (expected: " + MAX_HEADERS + " of " + MAX_HEADER_BYTES + " bytes at most)");
        }
        body = own;
        this.key = key;
        this.headers = headers;
    }

    private static Map<String, byte[]> utf8(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return Map.of();
        }
        Map<String, byte[]> copy = new LinkedHashMap<>();
        headers.forEach((name, value) -> {
            if (copy.put(name.toLowerCase(Locale.ROOT), value.getBytes(StandardCharsets.UTF_8)) != null) {
                throw new IllegalArgumentException("headers: " + name
                        + " comes more than once (expected: names that differ in more than capitals)");
            }
        });
        return copy;
    }

    private static int bytes(Map<String, byte[]> headers) {
        int sum = 0;
        for (Map.Entry<String, byte[]> each : headers.entrySet()) {
            sum += each.getKey().length() + each.getValue().length;
        }
        return sum;
    }

    /** Returns a message of bytes, which are copied, without a key. */
    public static OutgoingMessage of(byte[] body) {
        return new OutgoingMessage(null, Map.of(), body.clone());
    }

    /**
     * Returns a message of text, as UTF-8, without a key. Half of a surrogate pair becomes a question mark, as Java
     * encodes it.
     */
    public static OutgoingMessage of(String text) {
        return new OutgoingMessage(null, Map.of(), text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns this message with a key. */
    public OutgoingMessage withKey(String newKey) {
        return new OutgoingMessage(newKey, headers, body);
    }

    /**
     * Returns this message with a key whose bytes the program has. The bytes must be UTF-8, because servers and readers
     * treat a key as text. The key equals the key of that text.
     *
     * @throws IllegalArgumentException the bytes are not UTF-8: encode such keys, for example in base64
     */
    public OutgoingMessage withKey(byte[] utf8) {
        try {
            return withKey(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString());
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "key: " + utf8.length + " bytes that are not UTF-8 (expected: UTF-8; encode others, as in base64)",
                    e);
        }
    }

    /**
     * Returns this message with one more header, or another value of it.
     *
     * @throws IllegalArgumentException more than 64 headers, or 8 KiB of them
     */
    public OutgoingMessage withHeader(String name, String value) {
        return withOwn(name, value.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns this message with one more header of any bytes, or another value of it; the bytes are copied. Readers
     * with this SDK get them as they are. REST and the command line show headers as text, with U+FFFD for malformed
     * UTF-8.
     *
     * @throws IllegalArgumentException more than 64 headers, or 8 KiB of them
     */
    public OutgoingMessage withHeader(String name, byte[] value) {
        return withOwn(name, value.clone());
    }

    private OutgoingMessage withOwn(String name, byte[] value) {
        Map<String, byte[]> more = new LinkedHashMap<>(headers);
        more.put(name.toLowerCase(Locale.ROOT), value);
        return new OutgoingMessage(key, more, body);
    }

    /** Returns a copy of its bytes. */
    public byte[] body() {
        return body.clone();
    }

    /** Returns the number of bytes of the body. */
    public int bodyLength() {
        return body.length;
    }

    /** Returns the key; empty if it has none. */
    public Optional<String> key() {
        return Optional.ofNullable(key);
    }

    /** Texts by name, in lower case; malformed UTF-8 in a value becomes U+FFFD. */
    public Map<String, String> headers() {
        Map<String, String> texts = new LinkedHashMap<>();
        headers.forEach((name, value) -> texts.put(name, new String(value, StandardCharsets.UTF_8)));
        return Collections.unmodifiableMap(texts);
    }

    /**
     * Returns a copy of the bytes of a header, whose name may be in any case; empty if the message has none of that
     * name.
     */
    public Optional<byte[]> headerBytes(String name) {
        return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT))).map(byte[]::clone);
    }

    /** Returns the message's own bytes, which must not be changed. */
    ByteBuffer bodyBuffer() {
        return ByteBuffer.wrap(body);
    }

    /** Returns the message's own bytes of the headers, which must not be changed. */
    Map<String, byte[]> headerValues() {
        return headers;
    }

    /** Returns approximately the bytes that the message takes in a put. */
    int size() {
        return body.length + (key == null ? 0 : key.length()) + bytes(headers);
    }

    /**
     * Returns the bytes that the message takes in the heap, without the names of headers: a program has only a few of
     * those.
     */
    long heapBytes() {
        long sum = OWN_HEAP_BYTES + HeapBytes.array(body.length);
        if (key != null) {
            sum += HeapBytes.text(key);
        }
        if (!headers.isEmpty()) {
            sum += HeapBytes.map(headers.size());
            for (byte[] value : headers.values()) {
                sum += HeapBytes.array(value.length);
            }
        }
        return sum;
    }

    /** Returns a description of the message, without its content. */
    @Override
    public String toString() {
        return "message of " + body.length + " bytes";
    }
}
