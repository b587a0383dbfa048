// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A message that was read from a partition. Immutable; its bytes belong to the caller.
 *
 * @param offset offset in the partition
 * @param body bytes as they were put
 * @param key key as it was put
 * @param createMillis when the producer made it, ms since 1970; 0 if unknown
 * @param appendMillis when the server appended it, ms since 1970
 */
@SuppressWarnings("ArrayRecordComponent") // callers want arrays; nobody compares messages
public record FetchedMessage(long offset, byte[] body, Optional<String> key, long createMillis, long appendMillis) {
    /** The body as UTF-8 text. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
