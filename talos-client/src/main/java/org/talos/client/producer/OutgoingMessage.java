// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A message to be put. Immutable; the bytes must not change until the put has returned.
 *
 * @param body 1 byte or more
 * @param key what partition it belongs to, and whatever its readers make of it
 */
@SuppressWarnings("ArrayRecordComponent") // bytes as callers have them; equality is not asked of it
public record OutgoingMessage(byte[] body, Optional<String> key) {
    /** Bytes without a key. */
    public static OutgoingMessage of(byte[] body) {
        return new OutgoingMessage(body, Optional.empty());
    }

    /** Text, as UTF-8, without a key. */
    public static OutgoingMessage of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The same with a key. */
    public OutgoingMessage withKey(String newKey) {
        return new OutgoingMessage(body, Optional.of(newKey));
    }
}
