// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;

/** What becomes of a put. Thread-safe. */
public final class PutTicket {
    private final CompletableFuture<Long> firstOffset = new CompletableFuture<>();

    @GuardedBy("this")
    private boolean unanswered;

    @GuardedBy("this")
    private @Nullable PutTicket same; // that of the put which this one repeats

    /** The ticket of a put that has failed. */
    static PutTicket refused(TalosException reason) {
        PutTicket ticket = new PutTicket();
        ticket.firstOffset.completeExceptionally(reason);
        return ticket;
    }

    /**
     * Completes once the put is durable, with the offset of its first message; or exceptionally with a TalosException.
     * Its dependent actions run on the acknowledging thread and must not block.
     */
    public CompletableFuture<Long> firstOffset() {
        return firstOffset;
    }

    /** The client may not have heard of the success: an equal put is this one again. */
    public void unanswered() {
        PutTicket followed;
        synchronized (this) {
            followed = same;
            unanswered = true;
        }
        if (followed != null) {
            followed.unanswered();
        }
    }

    /** From now on this is the ticket of a put that repeats an earlier one: it ends as that one does. */
    void follow(PutTicket earlier) {
        boolean before;
        synchronized (this) {
            same = earlier;
            before = unanswered; // it was given up before it was known which one it repeats
        }
        if (before) {
            earlier.unanswered();
        }
        var unused = earlier.firstOffset.whenComplete((offset, error) -> {
            if (error == null) {
                firstOffset.complete(offset);
            } else {
                firstOffset.completeExceptionally(error);
            }
        });
    }

    /** An equal put shares this ticket, and its answer counts from now on: the next equal one may be meant. */
    synchronized void repeated() {
        unanswered = false;
    }

    synchronized boolean isUnanswered() {
        return unanswered;
    }
}
