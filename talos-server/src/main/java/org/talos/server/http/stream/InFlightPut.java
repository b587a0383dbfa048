// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import org.jspecify.annotations.Nullable;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.service.call.ServiceAnswer.Delivery;
import org.talos.server.service.message.StoredPut;

/** A put of a stream, from its request to its response. Confined: its stream. */
final class InFlightPut {
    private final int partition;
    private final long number;
    private final boolean ordered;
    private final int bytes;
    private final int memory;
    private ClientMessage.@Nullable Put message; // until it is begun: an answer that waits keeps no block
    private @Nullable StoredPut stored;
    private @Nullable Problem problem;

    /** @param partition where it belongs; -1 if that cannot be known */
    InFlightPut(ClientMessage.Put message, int partition) {
        this.partition = partition;
        number = message.number();
        ordered = message.ordered();
        bytes = message.bytes();
        memory = message.memory();
        this.message = message;
    }

    int partition() {
        return partition;
    }

    long number() {
        return number;
    }

    boolean ordered() {
        return ordered;
    }

    /** Returns its bytes. */
    int bytes() {
        return bytes;
    }

    /** Returns the memory that is reserved for it until it has ended. */
    int memory() {
        return memory;
    }

    /** Hands over the block to store, once. */
    ClientMessage.Put begin() {
        ClientMessage.Put taken = message;
        if (taken == null) {
            throw new IllegalStateException("a put that is begun twice");
        }
        message = null;
        return taken;
    }

    /** It has been stored. */
    void stored(StoredPut put) {
        stored = put;
    }

    /** It has not been stored, or that is not known. */
    void refused(Problem why) {
        message = null;
        problem = why;
    }

    boolean hasEnded() {
        return stored != null || problem != null;
    }

    /** Returns whether it has begun and not ended. */
    boolean isUnderWay() {
        return message == null && !hasEnded();
    }

    boolean isStored() {
        return stored != null;
    }

    /** Returns the offset of its first message, once it is stored. */
    long firstOffset() {
        return stored == null ? -1 : stored.firstOffset();
    }

    /** Returns why it was refused, if it was. */
    @Nullable
    Problem problem() {
        return problem;
    }

    /** Learns whether the answer was written. */
    Delivery delivery() {
        return stored == null ? Delivery.IGNORED : stored.delivery();
    }
}
