// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A message to be put. Immutable, as long as the caller does not change the bytes before the put has completed.
 *
 * @param body 1 byte or more
 * @param key chooses the partition; readers get it as well
 */
@SuppressWarnings("ArrayRecordComponent") // callers hand in arrays; nobody compares messages
public record OutgoingMessage(byte[] body, Optional<String> key) {
    /** A message of bytes without a key. */
    public static OutgoingMessage of(byte[] body) {
        return new OutgoingMessage(body, Optional.empty());
    }

    /** A message of text, as UTF-8, without a key. */
    public static OutgoingMessage of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** This message with a key. */
    public OutgoingMessage withKey(String newKey) {
        return new OutgoingMessage(body, Optional.of(newKey));
    }
}
