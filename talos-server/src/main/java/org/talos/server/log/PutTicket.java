// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.CompletableFuture;
import org.talos.common.error.TalosException;

/** The outcome of a put. Thread-safe. */
public final class PutTicket {
    private final CompletableFuture<Long> firstOffset = new CompletableFuture<>();

    @GuardedBy("this")
    private boolean unanswered;

    @GuardedBy("this")
    private Runnable further = () -> {}; // is also notified that it is unanswered

    /** Returns the ticket of a put that has failed. */
    static PutTicket refused(TalosException reason) {
        PutTicket ticket = new PutTicket();
        ticket.firstOffset.completeExceptionally(reason);
        return ticket;
    }

    /**
     * Completes once the put is durable, with the offset of its first message, or exceptionally with a TalosException.
     * Its dependents run on the acknowledging thread and must not block.
     */
    public CompletableFuture<Long> firstOffset() {
        return firstOffset;
    }

    /** Returns the ticket of a put that is already durable. */
    static PutTicket stored(long firstOffset) {
        PutTicket ticket = new PutTicket();
        ticket.firstOffset.complete(firstOffset);
        return ticket;
    }

    /** Notes that the client may not have learned of the success: an equal put is this one again. */
    public void unanswered() {
        Runnable notified;
        synchronized (this) {
            notified = further;
            unanswered = true;
        }
        notified.run();
    }

    /** Runs a task if the client may not have learned of the success; at once if the put was abandoned before. */
    void whenUnanswered(Runnable notified) {
        boolean before;
        synchronized (this) {
            further = notified;
            before = unanswered;
        }
        if (before) {
            notified.run();
        }
    }

    /** Makes this the ticket of a put that repeats an earlier one: it ends as that one does. */
    void follow(PutTicket earlier) {
        whenUnanswered(earlier::unanswered);
        var unused = earlier.firstOffset.whenComplete((offset, error) -> {
            if (error == null) {
                firstOffset.complete(offset);
            } else {
                firstOffset.completeExceptionally(error);
            }
        });
    }
}
