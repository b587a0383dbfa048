// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.runtime.time.Ticker;

/**
 * Puts that other servers forwarded, remembered for as long as the other server may report that it did not answer the
 * client. A put is forgotten 10 s after its deadline, or earlier if its user has more puts than places remain free. Its
 * log then assumes that the client was answered.
 *
 * <p>Thread-safe.
 */
final class ForwardedPuts {
    static final int MOST = 1 << 17; // half of them for a single user
    private static final long KEPT_NANOS = 10_000_000_000L; // after the deadline

    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<Id, Kept> puts = new LinkedHashMap<>(); // oldest first

    @GuardedBy("this")
    private final Map<String, Deque<Id>> byUser = new HashMap<>(); // oldest first; none is empty

    ForwardedPuts(Ticker ticker) {
        this.ticker = ticker;
    }

    /** A put by its connection and its request. Immutable. */
    private record Id(ByteBuffer connectionId, long requestId) {}

    /** A remembered put. Immutable. */
    private record Kept(String user, CompletableFuture<AppendResult> put, long untilNanos) {}

    /**
     * Remembers a put that was received.
     *
     * @return to be completed with its outcome; empty if the put was reported as unanswered before it came, so that it
     *     need not be stored
     */
    synchronized Optional<CompletableFuture<AppendResult>> begin(
            ByteBuffer connectionId, long requestId, ForwardContext context) {
        Id id = new Id(connectionId, requestId);
        if (puts.containsKey(id)) {
            return Optional.empty();
        }
        return Optional.of(keep(id, context.caller(), context.deadlineNanos()));
    }

    private synchronized CompletableFuture<AppendResult> keep(Id id, String user, long deadlineNanos) {
        forgetPast();
        Kept kept = new Kept(user, new CompletableFuture<>(), deadlineNanos + KEPT_NANOS);
        makeRoomFor(user);
        puts.put(id, kept);
        byUser.computeIfAbsent(user, each -> new ArrayDeque<>()).add(id);
        return kept.put;
    }

    @GuardedBy("this")
    private void forgetPast() {
        long now = ticker.nanos();
        while (!puts.isEmpty() && oldest().getValue().untilNanos - now < 0) {
            forgetOldestOf(oldest().getValue().user);
        }
    }

    /**
     * Makes room. Users share the places: puts of other users are forgotten only if a user's first put has no place.
     */
    @GuardedBy("this")
    private void makeRoomFor(String user) {
        while (puts.size() + held(user) + 1 > MOST && held(user) > 0) {
            forgetOldestOf(user);
        }
        while (puts.size() >= MOST) {
            forgetOldestOf(oldest().getValue().user);
        }
    }

    @GuardedBy("this")
    private Map.Entry<Id, Kept> oldest() {
        return puts.entrySet().iterator().next();
    }

    @GuardedBy("this")
    private int held(String user) {
        Deque<Id> own = byUser.get(user);
        return own == null ? 0 : own.size();
    }

    /** Forgets the oldest put of a user. The oldest put of all is also the oldest of its user. */
    @GuardedBy("this")
    private void forgetOldestOf(String user) {
        byUser.computeIfPresent(user, (same, own) -> {
            puts.remove(own.remove());
            return own.isEmpty() ? null : own;
        });
    }

    /**
     * Takes the report that a put's client was not answered, and passes it to the put's log, now or once the put is
     * stored. The report may come before the put, which travels on another connection.
     */
    void unanswered(ByteBuffer connectionId, long requestId, String user) {
        Id id = new Id(connectionId, requestId);
        CompletableFuture<AppendResult> put;
        synchronized (this) {
            Kept kept = puts.get(id);
            put = kept == null ? keep(id, user, ticker.nanos()) : kept.put;
        }
        var unused = put.thenAccept(stored -> stored.unanswered().run());
    }
}
