// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A message that was got. Immutable.
 *
 * @param offset its place in the partition
 * @param body as it was put; the caller's own
 * @param key as it was put
 * @param createMillis when its producer made it, ms since 1970; 0 if it did not say
 * @param appendMillis when the server took it in, ms since 1970
 */
@SuppressWarnings("ArrayRecordComponent") // bytes as callers want them; equality is not asked of it
public record FetchedMessage(long offset, byte[] body, Optional<String> key, long createMillis, long appendMillis) {
    /** The body as UTF-8 text. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
