// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

/** A partition that a member of a group holds. Confined: its stream. */
final class MemberPartition {
    private static final int NOT_REVOKED = -1;

    private final int number;
    private long committed; // or where the group begins
    private long next; // to be sent, while it is not read
    private State state = State.WAITS;
    private int revokedIn = NOT_REVOKED; // the round in which it was

    private enum State {
        /** A subscription knows where it is. */
        READS,
        /** It is read again with the next balance. */
        WAITS,
        /** It is read again once the client commits, or keeps it. */
        STOPPED
    }

    /** @param from the group's committed offset, or its begin */
    MemberPartition(int number, long from) {
        this.number = number;
        committed = from;
        next = from;
    }

    int number() {
        return number;
    }

    long committed() {
        return committed;
    }

    void committed(long offset) {
        committed = Math.max(committed, offset);
    }

    /** First offset that has not been sent; not of one that is read. */
    long next() {
        return next;
    }

    void reads() {
        state = State.READS;
    }

    void waits(long from) {
        state = State.WAITS;
        next = from;
    }

    void stop(long from) {
        state = State.STOPPED;
        next = from;
    }

    boolean isWaiting() {
        return state == State.WAITS;
    }

    boolean isStopped() {
        return state == State.STOPPED;
    }

    void revoke(int round) {
        revokedIn = round;
    }

    void keep() {
        revokedIn = NOT_REVOKED;
    }

    boolean isRevoking() {
        return revokedIn != NOT_REVOKED;
    }

    /** Returns whether the client has had a lease for its commit. */
    boolean isOverdue(int round) {
        return isRevoking() && round - revokedIn >= Membership.ROUNDS_IN_A_LEASE;
    }
}
