// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.rest.json.Problem;

/**
 * The puts of one partition: begun and answered in the order of their coming. Several are under way at once where the
 * log keeps that order; else each begins once all before it have ended.
 *
 * <p>Confined: its stream.
 */
final class PutLane {
    private static final Problem BEFORE_REFUSED =
            Problem.refused(409, "put-before-refused", "the put in front of it into this partition was not stored");

    private final Deque<InFlightPut> unanswered = new ArrayDeque<>(1);
    private final Deque<InFlightPut> waiting = new ArrayDeque<>(1); // the last of them, which are not begun
    private final boolean behindRefused;
    private int underWay;
    private @Nullable InFlightPut last; // that was begun or refused

    /** @param behindRefused whether the last put in front of its first was refused */
    PutLane(boolean behindRefused) {
        this.behindRefused = behindRefused;
    }

    void add(InFlightPut put) {
        unanswered.add(put);
        waiting.add(put);
    }

    /**
     * Returns the next put to begin now; null if there is none. Puts that are refused in their turn end on the way.
     *
     * @param keepsOrder whether puts that are under way at once are stored in their order
     * @param refusal of all that are not begun; null to begin them
     */
    @Nullable
    InFlightPut next(boolean keepsOrder, @Nullable Problem refusal) {
        for (InFlightPut put = waiting.peek(); put != null; put = waiting.peek()) {
            if (underWay > 0 && (put.ordered() || !keepsOrder)) {
                return null;
            }
            waiting.remove();
            refuse(put, refusal);
            last = put;
            if (!put.hasEnded()) {
                underWay++;
                return put;
            }
        }
        return null;
    }

    /** Refuses a put whose turn has come, if it has to be; it may have been refused when it came. */
    private void refuse(InFlightPut put, @Nullable Problem refusal) {
        boolean inFrontRefused = last == null ? behindRefused : last.hasEnded() && !last.isStored();
        if (put.hasEnded()) {
            return;
        }
        if (refusal != null) {
            put.refused(refusal);
        } else if (put.ordered() && inFrontRefused) {
            put.refused(BEFORE_REFUSED);
        }
    }

    /** A put that {@link #next} gave has ended. */
    void ended() {
        underWay--;
    }

    /** Removes the next put to answer; null if it has not ended. */
    @Nullable
    InFlightPut pollEnded() {
        InFlightPut first = unanswered.peek();
        return first != null && first.hasEnded() && first != waiting.peek() ? unanswered.poll() : null;
    }

    /**
     * Returns whether nothing is left to be known of it: a put that was refused is remembered for the ordered one
     * behind it.
     */
    boolean isDone() {
        return unanswered.isEmpty() && (last == null || last.isStored());
    }

    /** Returns the puts without further events: not begun, or ended and not answered. */
    List<InFlightPut> notUnderWay() {
        return unanswered.stream().filter(put -> !put.isUnderWay()).toList();
    }
}
