// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.client.Presence;
import org.talos.server.runtime.thread.Continuation;

/**
 * The identity and deadline that go with a request between servers. Immutable.
 *
 * @param caller on whose behalf it is sent: for reads and puts a user or an org, by which turns and memory are counted,
 *     as their number is bounded
 * @param deadlineNanos of the answer, by {@link org.talos.server.runtime.time.Ticker}; the remaining time is sent
 * @param continuation runs the rest of the work once the log has answered; null where the log's own threads may, as it
 *     is short and never blocks
 * @param presence of the client that waits for the answer
 */
public record ForwardContext(
        String caller, long deadlineNanos, @Nullable Continuation continuation, Presence presence) {
    /** Returns one that continues wherever its caller does. */
    public ForwardContext(String caller, long deadlineNanos, @Nullable Continuation continuation) {
        this(caller, deadlineNanos, continuation, Presence.UNSEEN);
    }

    /** Returns one that continues where the log has answered. */
    public ForwardContext(String caller, long deadlineNanos) {
        this(caller, deadlineNanos, null, Presence.UNSEEN);
    }

    /** Returns the same with another deadline. */
    ForwardContext until(long nanos) {
        return new ForwardContext(caller, nanos, continuation, presence);
    }

    /** Runs the rest of the work. */
    void resume(Runnable task) {
        if (continuation == null) {
            task.run();
        } else {
            continuation.execute(task);
        }
    }
}
