// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A message to be put. Immutable, as long as the caller does not change the bytes before the put has completed.
 *
 * @param body 1 byte or more
 * @param key chooses the partition; readers get it as well
 * @param headers texts by name, which readers get as well: those of our SDK, of REST ({@code Talos-Header-…}) and of
 *     the command line; others skip them. Names are in lower case, in the order of the map
 */
@SuppressWarnings("ArrayRecordComponent") // callers hand in arrays; nobody compares messages
public record OutgoingMessage(byte[] body, Optional<String> key, Map<String, String> headers) {
    private static final int MAX_HEADERS = 64;
    private static final int MAX_HEADER_BYTES = 8 << 10;

    /** Copies the headers; refuses more than 64, or 8 KiB of them, as REST does. */
    public OutgoingMessage {
        headers = lowerCase(headers);
        if (!headers.isEmpty() && (headers.size() > MAX_HEADERS || bytes(headers) > MAX_HEADER_BYTES)) {
            throw new IllegalArgumentException("headers: " + headers.size() + " of " + bytes(headers)
                    + " bytes (expected: " + MAX_HEADERS + " of " + MAX_HEADER_BYTES + " bytes at most)");
        }
    }

    private static Map<String, String> lowerCase(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return Map.of();
        }
        Map<String, String> copy = new LinkedHashMap<>();
        headers.forEach((name, value) -> copy.put(name.toLowerCase(Locale.ROOT), value));
        return Collections.unmodifiableMap(copy);
    }

    private static int bytes(Map<String, String> headers) {
        return headers.entrySet().stream()
                .mapToInt(each -> each.getKey().length() + each.getValue().getBytes(StandardCharsets.UTF_8).length)
                .sum();
    }

    /** A message of bytes without a key. */
    public static OutgoingMessage of(byte[] body) {
        return new OutgoingMessage(body, Optional.empty(), Map.of());
    }

    /** A message of text, as UTF-8, without a key. Half of a surrogate pair becomes a question mark, as Java has it. */
    public static OutgoingMessage of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** This message with a key. */
    public OutgoingMessage withKey(String newKey) {
        return new OutgoingMessage(body, Optional.of(newKey), headers);
    }

    /**
     * This message with one more header, or another value of it.
     *
     * @throws IllegalArgumentException more than 64 headers, or 8 KiB of them
     */
    public OutgoingMessage withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name.toLowerCase(Locale.ROOT), value);
        return new OutgoingMessage(body, key, more);
    }

    /** Bytes that the message takes in a buffer, about. */
    int size() {
        return body.length + key.map(String::length).orElse(0) + (headers.isEmpty() ? 0 : bytes(headers));
    }
}
