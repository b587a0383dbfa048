// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.runtime.Ticker;

/**
 * Puts that other servers forwarded, remembered for as long as the other server may report that it did not answer the
 * client. A put is forgotten 10 s after its deadline, or once {@link #MOST} newer ones have come; its log then takes
 * the client for answered.
 *
 * <p>Thread-safe.
 */
final class ForwardedPuts {
    static final int MOST = 1 << 16;
    private static final long KEPT_NANOS = 10_000_000_000L; // after the deadline

    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<Id, Kept> puts = new LinkedHashMap<>();

    ForwardedPuts(Ticker ticker) {
        this.ticker = ticker;
    }

    /** A put by its connection and its request. Immutable. */
    private record Id(ByteBuffer connectionId, long requestId) {}

    /** A remembered put. Immutable. */
    private record Kept(CompletableFuture<AppendResult> put, long untilNanos) {}

    /**
     * Remembers a put that was received.
     *
     * @return to be completed with its outcome; empty if the put was reported as unanswered before it came, so that it
     *     need not be stored
     */
    synchronized Optional<CompletableFuture<AppendResult>> begin(
            ByteBuffer connectionId, long requestId, long deadlineNanos) {
        Id id = new Id(connectionId, requestId);
        if (puts.containsKey(id)) {
            return Optional.empty();
        }
        return Optional.of(keep(id, deadlineNanos));
    }

    private synchronized CompletableFuture<AppendResult> keep(Id id, long deadlineNanos) {
        Kept kept = new Kept(new CompletableFuture<>(), deadlineNanos + KEPT_NANOS);
        puts.put(id, kept);
        Iterator<Kept> oldest = puts.values().iterator();
        while (oldest.hasNext() && isForgotten(oldest.next())) {
            oldest.remove();
        }
        return kept.put;
    }

    @GuardedBy("this")
    private boolean isForgotten(Kept kept) {
        return puts.size() > MOST || kept.untilNanos - ticker.nanos() < 0;
    }

    /**
     * Takes the report that a put's client was not answered, and passes it to the put's log, now or once the put is
     * stored. The report may come before the put, which travels on another connection.
     */
    void unanswered(ByteBuffer connectionId, long requestId) {
        Id id = new Id(connectionId, requestId);
        CompletableFuture<AppendResult> put;
        synchronized (this) {
            Kept kept = puts.get(id);
            put = kept == null ? keep(id, ticker.nanos()) : kept.put;
        }
        var unused = put.thenAccept(stored -> stored.unanswered().run());
    }
}
