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
 * Puts of other servers, for as long as one of them may say that it could not tell its client. Thread-safe.
 *
 * <p>A put is forgotten some time after its deadline, or when very many newer ones have come: then its repetition is
 * treated as if the client had been told.
 */
final class ForwardedPuts {
    static final int MOST = 1 << 16;
    private static final long KEPT_NANOS = 10_000_000_000L; // after the deadline

    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<Name, Kept> puts = new LinkedHashMap<>();

    ForwardedPuts(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Immutable. */
    private record Name(ByteBuffer connectionId, long requestId) {}

    /** Immutable. */
    private record Kept(CompletableFuture<AppendResult> put, long untilNanos) {}

    /**
     * A put has come.
     *
     * @return to be completed with what becomes of it; empty if it was given up before it came, and nobody would hear
     *     of it
     */
    synchronized Optional<CompletableFuture<AppendResult>> begin(
            ByteBuffer connectionId, long requestId, long deadlineNanos) {
        Name name = new Name(connectionId, requestId);
        if (puts.containsKey(name)) {
            return Optional.empty();
        }
        return Optional.of(keep(name, deadlineNanos));
    }

    private synchronized CompletableFuture<AppendResult> keep(Name name, long deadlineNanos) {
        Kept kept = new Kept(new CompletableFuture<>(), deadlineNanos + KEPT_NANOS);
        puts.put(name, kept);
        Iterator<Kept> oldest = puts.values().iterator();
        while (oldest.hasNext() && isToGo(oldest.next())) {
            oldest.remove();
        }
        return kept.put;
    }

    @GuardedBy("this")
    private boolean isToGo(Kept kept) {
        return puts.size() > MOST || kept.untilNanos - ticker.nanos() < 0;
    }

    /**
     * The put's client was not told of it: its log is told, now or once it is stored. It may overtake the put, which
     * goes by another connection.
     */
    void unanswered(ByteBuffer connectionId, long requestId) {
        Name name = new Name(connectionId, requestId);
        CompletableFuture<AppendResult> put;
        synchronized (this) {
            Kept kept = puts.get(name);
            put = kept == null ? keep(name, ticker.nanos()) : kept.put;
        }
        var unused = put.thenAccept(stored -> stored.unanswered().run());
    }
}
