// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.talos.server.runtime.Ticker;

/**
 * Puts of other servers, for as long as one of them may say that it could not tell its client. Thread-safe.
 *
 * <p>A put is forgotten some time after its deadline, or when very many newer ones have come: then its repetition is
 * treated as if the client had been told.
 */
final class PutsToTell {
    static final int MOST = 1 << 16;
    private static final long KEPT_NANOS = 10_000_000_000L; // after the deadline

    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<Name, Kept> puts = new LinkedHashMap<>();

    PutsToTell(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Immutable. */
    private record Name(ByteBuffer connectionId, long requestId) {}

    /** Immutable. */
    private record Kept(CompletionStage<StoredThere> put, long untilNanos) {}

    /** A put has come, and will be stored or not. */
    synchronized void add(
            ByteBuffer connectionId, long requestId, CompletionStage<StoredThere> put, long deadlineNanos) {
        puts.put(new Name(connectionId, requestId), new Kept(put, deadlineNanos + KEPT_NANOS));
        Iterator<Kept> oldest = puts.values().iterator();
        while (oldest.hasNext() && isToGo(oldest.next())) {
            oldest.remove();
        }
    }

    @GuardedBy("this")
    private boolean isToGo(Kept kept) {
        return puts.size() > MOST || kept.untilNanos - ticker.nanos() < 0;
    }

    /** The put's client was not told of it: its log is told, now or once it is stored. */
    void unanswered(ByteBuffer connectionId, long requestId) {
        Kept kept;
        synchronized (this) {
            kept = puts.remove(new Name(connectionId, requestId));
        }
        if (kept != null) {
            var unused = kept.put.thenAccept(stored -> stored.unanswered().run());
        }
    }
}
