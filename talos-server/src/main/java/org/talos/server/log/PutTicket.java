// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.concurrent.CompletableFuture;

/** What becomes of a put. Thread-safe. */
public final class PutTicket {
    private final CompletableFuture<Long> firstOffset = new CompletableFuture<>();
    private volatile boolean unanswered;

    /**
     * Completes once the put is durable, with the offset of its first message; or exceptionally with a TalosException.
     * Whoever acts on it must not block.
     */
    public CompletableFuture<Long> firstOffset() {
        return firstOffset;
    }

    /** The client may not have heard of the success: an equal put is this one again. */
    public void unanswered() {
        unanswered = true;
    }

    /** An equal put shares this ticket, and its answer counts from now on: the next equal one may be meant. */
    void repeated() {
        unanswered = false;
    }

    boolean isUnanswered() {
        return unanswered;
    }
}
