// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.util.List;
import java.util.Optional;

/**
 * Messages that wait to be put together, and alone, under a key of the program's own. Thread-safe, as all that waits.
 */
final class WaitingTogether extends Waiting {
    private final List<OutgoingMessage> messages;
    private final Optional<PutKey> key;

    /** @param messages one or more */
    WaitingTogether(List<OutgoingMessage> messages, PutKey key, Ending ending) {
        super(messages.get(0), heapBytes(messages, key), ending);
        this.messages = messages;
        this.key = Optional.of(key);
    }

    private static long heapBytes(List<OutgoingMessage> messages, PutKey key) {
        long sum = OWN_HEAP_BYTES + HeapBytes.object(2, 0); // with the list
        sum += HeapBytes.text(key.value()) + 2 * HeapBytes.object(1, 0); // with the key, and the optional around it
        sum += HeapBytes.array((long) messages.size() * HeapBytes.REFERENCE);
        for (OutgoingMessage each : messages) {
            sum += each.heapBytes();
        }
        return sum;
    }

    @Override
    void addTo(List<OutgoingMessage> put) {
        put.addAll(messages);
    }

    @Override
    int count() {
        return messages.size();
    }

    @Override
    int largest() {
        return messages.stream().mapToInt(OutgoingMessage::bodyLength).max().orElseThrow();
    }

    @Override
    Optional<PutKey> key() {
        return key;
    }
}
