// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Decides whose work runs next: deficit round robin by user. In each round a user may use a quantum, in the unit in
 * which costs are measured. A user whose work costs more owes the rest, and waits for the rounds that pay for it. A
 * user whose work costs less gets more of it into a round. A user who is alone waits for no round.
 *
 * <p>A cost is known only afterwards, so an element that was taken counts as a quantum until {@link #end}. A user
 * without waiting work saves nothing. A debt stays while others wait, and is forgotten once none does. Each element
 * costs at least a part of a quantum, so that a turn ends even if no cost can be measured.
 *
 * <p>Confined: one call at a time.
 *
 * @param <E> the elements
 */
public final class FairQueue<E> {
    /** The most elements for which one quantum suffices, even if they cost nearly nothing. */
    private static final int MOST_OF_QUANTUM = 64;

    private final long quantum;
    private final long leastCost;
    private final int mostOfUser;
    private final Map<String, Flow<E>> flows = new HashMap<>(); // by user: elements that wait or run, or debts
    private final Deque<Flow<E>> turns = new ArrayDeque<>(); // those with elements that wait, or with debts
    private int waiting;

    /**
     * Creates a queue without elements.
     *
     * @param quantum that a user may use in a round
     * @param mostOfUser elements of a user that may have been taken and not ended
     */
    public FairQueue(long quantum, int mostOfUser) {
        this.quantum = quantum;
        leastCost = Math.max(1, quantum / MOST_OF_QUANTUM);
        this.mostOfUser = mostOfUser;
    }

    /** The elements and the credit of one user. Confined: the queue. */
    private static final class Flow<E> {
        private final String user;
        private final Queue<E> elements = new ArrayDeque<>(1);
        private long credit; // negative if the user owes
        private int running;
        private boolean takesTurns; // is among the turns
        private boolean isPaid; // the quantum of this round

        Flow(String user) {
            this.user = user;
        }

        boolean mayRun(int most) {
            return !elements.isEmpty() && running < most;
        }
    }

    /** Queues an element behind the user's others. Without memory for it nothing waits. */
    public void add(String user, E element) {
        Flow<E> flow = flows.computeIfAbsent(user, Flow::new);
        enter(flow);
        flow.elements.add(element);
        waiting++; // last, because a user that counts as waiting must have a turn
    }

    private void enter(Flow<E> flow) {
        if (!flow.takesTurns) {
            flow.credit = Math.min(0, flow.credit);
            turns.addLast(flow);
            flow.takesTurns = true;
        }
    }

    /** Takes the next element; null if none waits, or each user whose elements wait has as many running as may be. */
    public @Nullable E poll() {
        E next = next();
        return next == null && skipRounds() ? next() : next;
    }

    /** Tries each user once, beginning with the one whose turn has begun. */
    private @Nullable E next() {
        if (waiting == 0) {
            return null;
        }
        for (int looks = turns.size() + (turns.getFirst().isPaid ? 1 : 0); looks > 0; looks--) {
            Flow<E> first = turns.getFirst();
            pay(first);
            if (first.credit > 0 && first.mayRun(mostOfUser)) {
                return take(first);
            }
            endTurn(first);
        }
        return null;
    }

    private void pay(Flow<E> flow) {
        if (!flow.isPaid && (flow.credit < 0 || flow.mayRun(mostOfUser))) {
            flow.credit += quantum;
        }
        flow.isPaid = true;
    }

    private E take(Flow<E> flow) {
        E element = flow.elements.remove();
        flow.credit -= quantum;
        flow.running++;
        waiting--;
        if (waiting == 0) {
            forgetDebts();
        }
        return element;
    }

    private void forgetDebts() {
        turns.forEach(flow -> {
            flow.credit = 0;
            flow.isPaid = false;
            flow.takesTurns = false;
            forgetIdle(flow);
        });
        turns.clear();
    }

    /** Ends the turn of the first user, who goes behind all others. */
    private void endTurn(Flow<E> flow) {
        turns.removeFirst();
        flow.isPaid = false;
        if (flow.elements.isEmpty() && flow.credit >= 0) {
            flow.takesTurns = false;
            forgetIdle(flow);
        } else {
            turns.addLast(flow);
        }
    }

    private void forgetIdle(Flow<E> flow) {
        if (flow.running == 0 && !flow.takesTurns) {
            flows.remove(flow.user);
        }
    }

    /**
     * Pays at once all rounds for which the user with the least debt would wait; returns false if no element may run.
     */
    private boolean skipRounds() {
        long rounds = Long.MAX_VALUE;
        for (Flow<E> each : turns) {
            if (each.mayRun(mostOfUser)) {
                rounds = Math.min(rounds, -each.credit / quantum);
            }
        }
        if (rounds == Long.MAX_VALUE) {
            return false;
        }
        for (Flow<E> each : turns) {
            if (each.credit < 0) {
                each.credit = Math.min(0, each.credit + rounds * quantum);
            }
        }
        return true;
    }

    /**
     * Ends an element that was taken.
     *
     * @param cost of it
     */
    public void end(String user, long cost) {
        Flow<E> flow = flows.get(user);
        if (flow == null || flow.running == 0) {
            throw new IllegalStateException("nothing was taken of " + user);
        }
        flow.running--;
        flow.credit = waiting == 0 ? 0 : flow.credit + quantum - Math.max(cost, leastCost);
        if (flow.credit < 0) {
            enter(flow);
        } else {
            forgetIdle(flow);
        }
    }

    /** Removes all elements that wait, whether they may run or not, and forgets all debts. */
    public List<E> removeAll() {
        List<E> removed = new ArrayList<>(waiting);
        for (Flow<E> flow : turns) {
            removed.addAll(flow.elements);
            flow.elements.clear();
        }
        waiting = 0;
        forgetDebts();
        return removed;
    }

    /** Returns whether no element waits. */
    public boolean isEmpty() {
        return waiting == 0;
    }

    /** Returns the number of known users: those with waiting or running elements, or with a debt. */
    int users() {
        return flows.size();
    }
}
