// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A message to be put: its bytes are a copy of those that it was made of, which the program may use again. Immutable.
 */
public final class OutgoingMessage {
    private static final int MAX_HEADERS = 64;
    private static final int MAX_HEADER_BYTES = 8 << 10;

    private final byte[] body; // nobody else has it
    private final Optional<String> key;
    private final Map<String, String> headers;

    /**
     * A message with a key and headers; its bytes are copied.
     *
     * @param body any bytes, also none
     * @param key chooses the partition; readers get it as well
     * @param headers texts by name, which readers get as well: those of our SDK, of REST ({@code Talos-Header-…}) and
     *     of the command line; others skip them. Names are in lower case, in the order of the map
     * @throws IllegalArgumentException more than 64 headers, or 8 KiB of them, or names that differ in capitals only,
     *     as REST has it
     */
    public OutgoingMessage(byte[] body, Optional<String> key, Map<String, String> headers) {
        this(key, lowerCase(headers), body.clone());
    }

    /** @param own bytes that nobody changes */
    private OutgoingMessage(Optional<String> key, Map<String, String> headers, byte[] own) {
        if (!headers.isEmpty() && (headers.size() > MAX_HEADERS || bytes(headers) > MAX_HEADER_BYTES)) {
            throw new IllegalArgumentException("headers: " + headers.size() + " of " + bytes(headers)
                    + " bytes (expected: " + MAX_HEADERS + " of " + MAX_HEADER_BYTES + " bytes at most)");
        }
        body = own;
        this.key = key;
        this.headers = headers;
    }

    private static Map<String, String> lowerCase(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return Map.of();
        }
        Map<String, String> copy = new LinkedHashMap<>();
        headers.forEach((name, value) -> {
            if (copy.put(name.toLowerCase(Locale.ROOT), value) != null) {
                throw new IllegalArgumentException("headers: " + name
                        + " comes more than once (expected: names that differ in more than capitals)");
            }
        });
        return Collections.unmodifiableMap(copy);
    }

    private static int bytes(Map<String, String> headers) {
        return headers.entrySet().stream()
                .mapToInt(each -> each.getKey().length() + each.getValue().getBytes(StandardCharsets.UTF_8).length)
                .sum();
    }

    /** A message of bytes, which are copied, without a key. */
    public static OutgoingMessage of(byte[] body) {
        return new OutgoingMessage(Optional.empty(), Map.of(), body.clone());
    }

    /** A message of text, as UTF-8, without a key. Half of a surrogate pair becomes a question mark, as Java has it. */
    public static OutgoingMessage of(String text) {
        return new OutgoingMessage(Optional.empty(), Map.of(), text.getBytes(StandardCharsets.UTF_8));
    }

    /** This message with a key. */
    public OutgoingMessage withKey(String newKey) {
        return new OutgoingMessage(Optional.of(newKey), headers, body);
    }

    /**
     * This message with one more header, or another value of it.
     *
     * @throws IllegalArgumentException more than 64 headers, or 8 KiB of them
     */
    public OutgoingMessage withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name.toLowerCase(Locale.ROOT), value);
        return new OutgoingMessage(key, Collections.unmodifiableMap(more), body);
    }

    /** A copy of its bytes. */
    public byte[] body() {
        return body.clone();
    }

    /** How many bytes the body has. */
    public int bodyLength() {
        return body.length;
    }

    /** The key; empty if it has none. */
    public Optional<String> key() {
        return key;
    }

    /** Texts by name, in lower case. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The bytes themselves, to be read alone. */
    ByteBuffer bodyBuffer() {
        return ByteBuffer.wrap(body);
    }

    /** Bytes that the message takes in a buffer, about. */
    int size() {
        return body.length + key.map(String::length).orElse(0) + (headers.isEmpty() ? 0 : bytes(headers));
    }

    /** Says what it is, without its content. */
    @Override
    public String toString() {
        return "message of " + body.length + " bytes";
    }
}
