// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Knows whether the load of the servers is being levelled, and which servers have received their share.
 *
 * <pre>
 * LEVEL   → WANTED    a server is new, or an operator asks for it
 * WANTED  → WEIGHED   the partitions have their weights, once: by figures that change it might never end
 * WEIGHED → LEVEL     no move is left to choose or to complete
 * </pre>
 *
 * <p>Confined: the rounds of one leader.
 */
public final class Levelling {
    private final Set<String> balanced = new HashSet<>(); // servers that have received their share
    private State state = State.LEVEL;

    private enum State {
        LEVEL,
        WANTED,
        WEIGHED
    }

    /** Notes servers that have received their share. */
    public void addBalanced(Collection<String> servers) {
        balanced.addAll(servers);
    }

    /** Forgets the servers that will be new when they return. */
    public void retainBalanced(Predicate<String> stays) {
        balanced.removeIf(stays.negate());
    }

    /** Returns whether a server has not received its share yet. */
    public boolean isNew(String server) {
        return !balanced.contains(server);
    }

    /** Returns whether the load is being levelled. */
    public boolean isUnderWay() {
        return state != State.LEVEL;
    }

    /** Begins, unless it is under way. */
    public void want() {
        if (state == State.LEVEL) {
            state = State.WANTED;
        }
    }

    /** Returns whether the partitions have to be weighed first. */
    public boolean needsWeights() {
        return state == State.WANTED;
    }

    /** Notes that the partitions have their weights. */
    public void onWeighed() {
        state = State.WEIGHED;
    }

    /** Ends: the load is levelled. */
    public void finish() {
        state = State.LEVEL;
    }
}
