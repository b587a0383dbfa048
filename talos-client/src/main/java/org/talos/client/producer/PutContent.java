// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.util.List;
import java.util.Optional;

/**
 * The contents of one put. Immutable.
 *
 * @param messages one or more, in their order
 * @param key its identity, if the program has given it one
 */
record PutContent(List<OutgoingMessage> messages, Optional<PutKey> key) {
    PutContent {
        messages = List.copyOf(messages);
    }
}
