// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The puts of one partition in their order: the next one to send, and those to send again.
 *
 * <p>Invariant: on a stream, each put but the first in flight is sent as ordered. So if a put is not stored, the puts
 * behind it are not stored either. Once a put was refused, nothing is sent until all puts in flight have been answered.
 * A put by a call goes alone.
 *
 * <p>Confined: the lock of its {@link StreamPuts}.
 */
final class PutLane {
    private final Deque<PendingPut> waiting = new ArrayDeque<>();
    private final Deque<PendingPut> inFlight = new ArrayDeque<>();
    private final List<PendingPut> returned = new ArrayList<>(); // refused, and to be sent again
    private boolean draining;
    private boolean calling;
    private boolean paused;
    private long pausedUntilNanos;
    private boolean queued;
    private boolean stopped;
    private @Nullable PutLink link;

    void add(PendingPut put) {
        waiting.add(put);
    }

    /** Returns the put that may be sent now; null if none may. */
    @Nullable
    PendingPut next(long nowNanos) {
        if (paused && nowNanos - pausedUntilNanos >= 0) {
            paused = false;
        }
        return draining || calling || paused ? null : waiting.peek();
    }

    /** Returns whether no put is in flight, so that the next one may go another way. */
    boolean isIdle() {
        return inFlight.isEmpty() && !calling;
    }

    /** Returns whether the lane has no puts. */
    boolean isEmpty() {
        return isIdle() && waiting.isEmpty();
    }

    /** Returns the stream on which its puts are, or were last; null before the first. */
    @Nullable
    PutLink link() {
        return link;
    }

    /** Returns whether the lane is in the queue of its stream. */
    boolean isQueued() {
        return queued;
    }

    void queue(PutLink on) {
        queued = true;
        link = on;
    }

    void unqueue() {
        queued = false;
    }

    /** Returns the number of the oldest put to send. */
    long oldest() {
        PendingPut first = waiting.peek();
        return first == null ? Long.MAX_VALUE : first.number;
    }

    /** Takes the next put as sent on the lane's stream. */
    PendingPut send() {
        PendingPut put = waiting.remove();
        inFlight.add(put);
        return put;
    }

    /** Takes the next put as sent by a call. */
    PendingPut call() {
        calling = true;
        return waiting.remove();
    }

    /** Notes that the call of a put has ended. */
    void called() {
        calling = false;
    }

    /**
     * Takes the put that the server has answered; its outcome must be reported next.
     *
     * @return null if it has ended before
     */
    @Nullable
    PendingPut answered(long number) {
        PendingPut first = inFlight.peek();
        if (first != null && first.number == number) {
            return inFlight.remove();
        }
        PendingPut other = inFlight.stream()
                .filter(each -> each.number == number)
                .findFirst()
                .orElse(null);
        if (other != null) {
            inFlight.remove(other);
        }
        return other;
    }

    /** Completes an answered put as stored. */
    void stored() {
        settle();
    }

    /** Ends an answered put that was refused for good. The puts in flight behind it come back. */
    void refused() {
        draining = true;
        settle();
    }

    /** Queues an answered put again that was refused for now. */
    void giveBack(PendingPut put) {
        returned.add(put);
        refused();
    }

    /** Sends nothing for a while. */
    void pause(long untilNanos) {
        paused = true;
        pausedUntilNanos = untilNanos;
    }

    /** Ends the use of the lane's stream, and returns the puts in flight, which must be sent again. */
    List<PendingPut> cut() {
        List<PendingPut> unanswered = List.copyOf(inFlight);
        returned.addAll(inFlight);
        inFlight.clear();
        settle();
        return unanswered;
    }

    private void settle() {
        if (inFlight.isEmpty()) {
            draining = false;
            for (int i = returned.size() - 1; i >= 0; i--) {
                waiting.addFirst(returned.get(i));
            }
            returned.clear();
        }
    }

    /** Takes the puts that were tried and may not be tried again. */
    List<PendingPut> takeSpent(long nowNanos) {
        return take(each -> each.isSpent(nowNanos));
    }

    /** Stops the lane, and takes the puts that are not in flight. */
    List<PendingPut> stop() {
        stopped = true;
        List<PendingPut> left = new ArrayList<>(returned);
        left.addAll(waiting);
        returned.clear();
        waiting.clear();
        return left;
    }

    boolean isStopped() {
        return stopped;
    }

    /**
     * Takes the expired puts, and those that were never sent and have too little time left. Later answers to those in
     * flight are ignored.
     */
    List<PendingPut> takeLate(long nowNanos) {
        return take(each -> each.isLate(nowNanos));
    }

    /** Takes all puts except the one that goes by a call. */
    List<PendingPut> takeAll() {
        return take(each -> true);
    }

    private List<PendingPut> take(Predicate<PendingPut> which) {
        List<PendingPut> taken = new ArrayList<>();
        inFlight.stream().filter(which).forEach(PendingPut::unanswered);
        for (var each : List.of(returned, inFlight, waiting)) {
            each.stream().filter(which).forEach(taken::add);
            each.removeIf(which);
        }
        if (!taken.isEmpty()) {
            settle();
        }
        return taken;
    }
}
