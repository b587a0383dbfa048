// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.service.group.GroupFetched;
import org.talos.server.service.group.GroupMember;
import org.talos.server.service.group.GroupReads;

/**
 * A stream as a member of a consumer group: its partitions, the offset from which each is read, and its commits. It
 * balances six times in a lease, which renews the lease, and begins and ends subscriptions as its share changes. Time
 * arrives as the ends of pauses.
 *
 * <p>Invariant: a partition that must be released is not read any more. It is released once the sent messages are
 * committed, or after a lease.
 *
 * <p>Confined: its stream.
 */
final class Membership implements Subscriptions.Listener {
    /** How often in a lease it balances. */
    static final int ROUNDS_IN_A_LEASE = 6;

    private static final int TOO_MANY = 429;
    private static final int FAILED = 500;
    private static final Problem NOT_HELD =
            Problem.refused(409, "lock-exist", "this stream does not hold the partition for a group");
    private static final Problem LEASE_OVER =
            Problem.refused(404, "consumer-not-exist", "the lease could not be renewed in time; join again");

    private final Subscriptions subscriptions;
    private final StreamFormat format;
    private final Map<Integer, MemberPartition> held = new TreeMap<>();
    private final Map<Integer, Long> commits = new LinkedHashMap<>(); // that wait, by partition
    private final Set<Due> due = EnumSet.noneOf(Due.class);
    private State state = State.NONE;
    private ClientMessage.@Nullable Join asked; // null in NONE
    private String member = ""; // until it has joined
    private long leaseMillis;
    private int number; // of the membership: a stream may have one after another
    private boolean isCommitting; // a commit may be under way in any state
    private int round; // counts the pauses
    private int begunIn; // the round of the last balance
    private int renewedIn; // the round of the last one that has succeeded

    /**
     * The state of the stream in its group, with the call that is under way. Pauses and commits run in any state.
     *
     * <pre>
     * NONE       → JOIN_ASKED   the client joins
     * JOIN_ASKED → JOINING      the join has begun
     * JOINING    → MEMBER       it has joined
     * MEMBER     → BALANCING    a balance has begun
     * BALANCING  → MEMBER       the balance has ended, or failed for a reason that may pass
     * MEMBER     → LEAVING      the leave has begun
     * any        → NONE         it has left, or the membership has failed
     * </pre>
     */
    private enum State {
        /** It is not a member, and does not become one. */
        NONE,
        JOIN_ASKED,
        JOINING,
        /** It is a member. */
        MEMBER,
        BALANCING,
        LEAVING
    }

    /** Next work of a member, the most urgent first. */
    private enum Due {
        /** The pause until the next balance, which begins also while a call hangs. */
        PAUSE,
        /** The leave, once no commit is under way. */
        LEAVE,
        BALANCE
    }

    /** No membership yet; the subscriptions are those of the stream. */
    Membership(Subscriptions subscriptions, StreamFormat format) {
        this.subscriptions = subscriptions;
        this.format = format;
    }

    /** Returns whether it is a member, or becomes one. */
    boolean isActive() {
        return state != State.NONE;
    }

    /** Returns whether no commit waits for its answer. */
    boolean isQuiet() {
        return commits.isEmpty() && !isCommitting;
    }

    /** The client joins; it is not a member. */
    void join(ClientMessage.Join join) {
        state = State.JOIN_ASKED;
        asked = join;
        number++;
    }

    /** The client leaves. */
    void leave() {
        if (isActive()) {
            due.add(Due.LEAVE);
        }
    }

    /** The client commits; one that waits for its turn goes with a later one of its partition. */
    void commit(ClientMessage.Commit commit) {
        if (held.containsKey(commit.partition())) {
            commits.merge(commit.partition(), commit.offset(), Math::max);
        } else {
            subscriptions.send(format.commitRefused(commit.partition(), commit.offset(), NOT_HELD));
        }
    }

    /**
     * Returns the next work to begin; null if nothing is.
     *
     * @param stopping whether the stream ends, and only commits are still taken care of
     */
    @Nullable
    StreamWork next(boolean stopping) {
        ClientMessage.Join of = asked;
        if (of == null) {
            return null;
        }
        if (!isCommitting && !commits.isEmpty()) {
            return nextCommit(of);
        }
        if (stopping) {
            return null;
        }
        return switch (state) {
            case JOIN_ASKED -> beginJoin(of);
            case MEMBER -> due.remove(Due.PAUSE) ? pause() : nextOfMember(of);
            case BALANCING, LEAVING -> due.remove(Due.PAUSE) ? pause() : null;
            case NONE, JOINING -> null;
        };
    }

    private StreamWork beginJoin(ClientMessage.Join of) {
        state = State.JOINING;
        return new StreamWork.Join(of);
    }

    private StreamWork pause() {
        return new StreamWork.Pause(leaseMillis / ROUNDS_IN_A_LEASE, number);
    }

    private @Nullable StreamWork nextOfMember(ClientMessage.Join of) {
        if (!isCommitting && due.remove(Due.LEAVE)) {
            state = State.LEAVING;
            return new StreamWork.Leave(of.group(), member, number);
        }
        if (due.remove(Due.BALANCE)) {
            state = State.BALANCING;
            begunIn = round;
            return new StreamWork.Balance(
                    of.group(), member, List.copyOf(held.keySet()), inProgress(), of.fromLatest(), number);
        }
        return null;
    }

    private StreamWork nextCommit(ClientMessage.Join of) {
        Map.Entry<Integer, Long> first = commits.entrySet().iterator().next();
        commits.remove(first.getKey());
        isCommitting = true;
        return new StreamWork.Commit(of.group(), member, first.getKey(), first.getValue());
    }

    /**
     * Returns where partitions are read on of which something was sent that is not committed, unless their time is
     * over.
     */
    private Map<Integer, Long> inProgress() {
        Map<Integer, Long> positions = new HashMap<>();
        for (MemberPartition each : held.values()) {
            long sent = subscriptions.next(each.number()).orElse(each.next());
            if (sent > each.committed() && !each.isOverdue(round)) {
                positions.put(each.number(), sent);
            }
        }
        return positions;
    }

    /** It has become a member. */
    void joined(GroupMember joined) {
        state = State.MEMBER;
        member = joined.id();
        leaseMillis = joined.leaseMillis();
        renewedIn = round;
        due.add(Due.PAUSE);
        due.add(Due.BALANCE);
        subscriptions.send(format.joined(member, leaseMillis));
    }

    /** A pause is over. */
    void paused(int membership) {
        if (!isActive() || membership != number) {
            return;
        }
        round++;
        due.add(Due.PAUSE);
        due.add(Due.BALANCE);
        if (round - renewedIn >= ROUNDS_IN_A_LEASE - 1) { // the last one took time, too
            end(LEASE_OVER); // others may soon have its partitions
        }
    }

    /** Sets its partitions to read. */
    void balanced(StreamWork.Balance begun, GroupReads.Balance share) {
        if (begun.membership() != number || !isActive()) {
            return; // it has ended since
        }
        state = State.MEMBER;
        renewedIn = begunIn;
        for (Iterator<MemberPartition> all = held.values().iterator(); all.hasNext(); ) {
            MemberPartition each = all.next();
            boolean kept = share.partitions().contains(each.number());
            if (!kept || (each.isOverdue(round) && !share.revoking().contains(each.number()))) {
                subscriptions.unsubscribe(each.number());
                subscriptions.send(format.revoked(each.number()));
                all.remove();
            }
        }
        share.revoking().forEach(partition -> revoke(partition));
        share.partitions().stream()
                .filter(partition -> !share.revoking().contains(partition))
                .forEach(partition -> read(partition, share));
    }

    private void revoke(int partition) {
        MemberPartition known = held.get(partition);
        if (known != null && !known.isRevoking()) {
            known.stop(subscriptions.next(partition).orElse(known.next()));
            known.revoke(round);
            subscriptions.unsubscribe(partition);
            subscriptions.send(format.revoking(partition, leaseMillis));
        }
    }

    private void read(int partition, GroupReads.Balance share) {
        MemberPartition known = held.get(partition);
        if (known == null) {
            begin(partition, share);
        } else if (known.isRevoking()) {
            known.keep(); // others have left since
            subscriptions.send(format.assigned(partition, known.next(), 0));
            resume(known);
        } else if (known.isWaiting()) {
            resume(known);
        }
    }

    private void begin(int partition, GroupReads.Balance share) {
        Long from = share.from().get(partition);
        if (from != null) {
            MemberPartition begun = new MemberPartition(partition, from);
            held.put(partition, begun);
            subscriptions.send(format.assigned(partition, from, share.missed().getOrDefault(partition, 0L)));
            resume(begun);
            return;
        }
        share.failed().stream()
                .filter(each -> each.partition() == partition)
                .map(GroupFetched.Failed::failure)
                .map(Problem::of)
                .filter(problem -> !mayPass(problem))
                .forEach(problem -> {
                    MemberPartition ended = new MemberPartition(partition, 0);
                    ended.stop(0);
                    held.put(partition, ended);
                    subscriptions.send(format.ended(partition, problem));
                });
    }

    private void resume(MemberPartition part) {
        if (subscriptions.begin(part.number(), part.next())) {
            part.reads();
        } else {
            part.waits(part.next()); // for memory
        }
    }

    @Override
    public boolean ended(int partition, long next, Problem problem) {
        MemberPartition known = held.get(partition);
        if (known == null) {
            return false;
        }
        if (problem.retryable()) {
            known.waits(next);
            return true;
        }
        known.stop(next);
        return false;
    }

    /** A balance has failed: it continues with the next one, unless there is nothing to continue with. */
    void balanceFailed(StreamWork.Balance begun, Problem problem) {
        if (begun.membership() != number || !isActive()) {
            return;
        }
        state = State.MEMBER;
        if (!mayPass(problem)) {
            end(problem);
        }
    }

    private static boolean mayPass(Problem problem) {
        return problem.status() == TOO_MANY || problem.status() >= FAILED;
    }

    /** A commit is stored. */
    void committed(int partition, long offset) {
        isCommitting = false;
        subscriptions.send(format.committed(partition, offset));
        MemberPartition known = held.get(partition);
        if (known == null) {
            return;
        }
        known.committed(offset);
        if (known.isRevoking()) {
            if (offset >= known.next()) {
                due.add(Due.BALANCE); // others wait for it
            }
        } else if (known.isStopped()) {
            known.stop(offset);
            resume(known);
        }
    }

    /** A commit is not stored, or that is not known. */
    void commitFailed(int partition, long offset, Problem problem) {
        isCommitting = false;
        subscriptions.send(format.commitRefused(partition, offset, problem));
    }

    /** The client has left, or cannot: a membership that it does not use any more ends by itself. */
    void left(StreamWork.Leave begun, @Nullable Problem problem) {
        if (begun.membership() == number) {
            end(problem);
        }
    }

    /**
     * The end of the membership.
     *
     * @param problem null if that was asked for
     */
    void end(@Nullable Problem problem) {
        if (!isActive()) {
            return;
        }
        state = State.NONE;
        asked = null;
        member = "";
        due.clear();
        commits.forEach((partition, offset) -> subscriptions.send(format.commitRefused(partition, offset, NOT_HELD)));
        commits.clear();
        held.keySet().forEach(subscriptions::unsubscribe);
        held.clear();
        subscriptions.send(format.left(problem));
    }
}
