// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.MessageDecoder;
import org.talos.server.http.stream.incoming.StreamEndException;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.call.ServiceAnswer.Delivery;
import org.talos.server.service.message.StoredPut;

/**
 * Decides the next steps of a stream. It is notified of incoming messages and completed work, and returns the next work
 * ({@link #nextWork}) and the next messages to write ({@link #nextOutgoing}). No threads, no clock, and no I/O.
 *
 * <p>Invariant: each put is answered once, in the order of the puts of its partition. No message is kept for which
 * there is no credit. Reserved memory is released once, however the stream ends.
 *
 * <p>Confined: one call at a time.
 */
final class StreamSession implements MessageDecoder.Admission {
    /** The memory of a put besides its bytes, until its answer is sent. */
    static final int PUT_BYTES = 512;
    /** Answers that wait: beyond it nothing is read until the client has read some. */
    private static final int MOST_UNANSWERED = 4_096;

    private static final int MOST_STORED_AT_ONCE = 1_000;
    /** Far more than a topic has: a partition beyond it will never be there. */
    private static final int MOST_PARTITIONS = 1_024;

    private static final Problem STOPPING =
            new Problem(503, "partition-not-serving", "the server is stopping; use another server", Effect.NONE);

    private static final Problem ONLY_READS =
            Problem.refused(403, "permission-denied-error", "a token is for reading alone");

    private final StreamTerms terms;
    private final StreamFormat format;
    private final Places places;
    private final RequestMemory memory;
    private final Subscriptions subscriptions;
    private final Membership membership;
    private final Map<Integer, PutLane> lanes = new HashMap<>();
    private final Set<Integer> eager = new LinkedHashSet<>(); // lanes that may have a put to begin
    private final BitSet refused = new BitSet(); // partitions without a lane into which the last put was refused
    private final Deque<InFlightPut> answers = new ArrayDeque<>(1);
    private int putCredit;
    private int toGrant; // of answered puts
    private long incoming; // reserved for the put that is being read
    private int unanswered;
    private boolean isShort; // of memory for answers, until none waits
    private boolean opened;
    private boolean stopping;
    private int moveAfterMillis = -1; // until it must be sent
    private boolean over;

    /**
     * A stream that begins.
     *
     * @param memory of its user; the session releases what it reserves
     */
    StreamSession(StreamTerms terms, StreamFormat format, Places places, RequestMemory memory) {
        this.terms = terms;
        this.format = format;
        this.places = places;
        this.memory = memory;
        subscriptions = new Subscriptions(terms.window(), format, memory);
        membership = new Membership(subscriptions, format);
        subscriptions.listener(membership);
        putCredit = terms.window();
    }

    @Override
    public boolean admit(long bytes, int key, long body) throws StreamEndException {
        if (bytes > terms.largestPut()) {
            throw new StreamEndException(
                    CloseCode.TOO_LARGE, "a put of " + bytes + " bytes (expected: at most " + terms.largestPut() + ")");
        }
        if (bytes > putCredit) {
            throw new StreamEndException(
                    CloseCode.NOT_ALLOWED, "a put of " + bytes + " bytes beyond the credit of " + putCredit);
        }
        putCredit -= (int) bytes;
        boolean kept = memory.tryReserve(PUT_BYTES + key + body);
        incoming = PUT_BYTES + key + (kept ? body : 0);
        if (!kept) {
            memory.take(incoming); // its answer cannot be refused, so nothing further is read while it waits
            isShort = true;
        }
        return kept;
    }

    /** Returns whether its messages are texts. */
    boolean isText() {
        return format.isText();
    }

    /** A put that has been read as a whole before anything was known of it. */
    private void admit(ClientMessage.TextPut put) throws StreamEndException {
        if (put.bytes() > putCredit) {
            throw new StreamEndException(
                    CloseCode.NOT_ALLOWED, "a put of " + put.bytes() + " bytes beyond the credit of " + putCredit);
        }
        putCredit -= put.bytes();
        memory.take(PUT_BYTES + (long) put.memory()); // less than its text holds until now
    }

    /** Takes a message of the client. */
    void received(ClientMessage message) throws StreamEndException {
        if (message instanceof ClientMessage.Wrong wrong) {
            throw wrong.why();
        }
        if (message instanceof ClientMessage.TextPut text) {
            admit(text);
        }
        if (message instanceof ClientMessage.Put put) {
            incoming = 0;
            unanswered++;
            put(put);
        } else if (message instanceof ClientMessage.Subscribe asked) {
            requireOnlyOne(membership.isActive());
            subscriptions.subscribe(asked.partition(), asked.from());
        } else if (message instanceof ClientMessage.Unsubscribe asked) {
            requireOnlyOne(membership.isActive());
            subscriptions.unsubscribe(asked.partition());
        } else if (message instanceof ClientMessage.Credit credit) {
            subscriptions.grant(credit.bytes());
        } else {
            receivedOfGroup(message);
        }
    }

    private void receivedOfGroup(ClientMessage message) throws StreamEndException {
        if (message instanceof ClientMessage.Join join) {
            requireOnlyOne(membership.isActive() || !subscriptions.isEmpty());
            membership.join(join);
            if (!terms.mayPut()) {
                membership.end(ONLY_READS);
            }
        } else if (message instanceof ClientMessage.Commit commit) {
            membership.commit(commit);
        } else if (message instanceof ClientMessage.Leave) {
            membership.leave();
        }
    }

    private static void requireOnlyOne(boolean both) throws StreamEndException {
        if (both) {
            throw new StreamEndException(
                    CloseCode.NOT_ALLOWED, "a stream is a member of one group, or has subscriptions of its own");
        }
    }

    private void put(ClientMessage.Put message) {
        InFlightPut put = new InFlightPut(message, message.partition());
        try {
            if (!terms.mayPut()) {
                refuseAtOnce(put, ONLY_READS);
                return;
            }
            if (message instanceof ClientMessage.PutWrong wrong && message.partition() == -1) {
                refuseAtOnce(put, wrong.why());
                return;
            }
            put = new InFlightPut(message, place(message));
            places.require(put.partition());
        } catch (TalosException e) {
            refuse(put, Problem.of(e));
            return;
        } catch (IllegalArgumentException e) {
            refuseAtOnce(
                    put,
                    Problem.refused(
                            400, "bad-request", "the key cannot be placed, name the partition: " + e.getMessage()));
            return;
        }
        if (message instanceof ClientMessage.PutPassedOver) {
            put.refused(Problem.refused(503, "no-memory", "the server has no memory for this put now"));
        } else if (message instanceof ClientMessage.PutWrong wrong) {
            put.refused(wrong.why());
        }
        lane(put.partition()).add(put);
        eager.add(put.partition());
    }

    private PutLane lane(int partition) {
        return lanes.computeIfAbsent(partition, each -> {
            boolean behindRefused = refused.get(each);
            refused.clear(each);
            return new PutLane(behindRefused);
        });
    }

    private int place(ClientMessage.Put message) {
        if (message.partition() != -1 || message instanceof ClientMessage.PutBlock) {
            return message.partition();
        }
        return message.key().isEmpty() ? Math.floorMod(message.number(), places.count()) : places.ofKey(message.key());
    }

    /**
     * Refuses it behind the unanswered puts of its partition, as when the topic was deleted in the meantime. If there
     * are none, the refusal is remembered for the next ordered put: this server may learn of the partition before that
     * put arrives.
     */
    private void refuse(InFlightPut put, Problem problem) {
        int partition = put.partition();
        PutLane lane = lanes.get(partition);
        if (lane == null) {
            if (partition >= 0 && partition < MOST_PARTITIONS) {
                refused.set(partition);
            }
            refuseAtOnce(put, problem);
        } else {
            put.refused(problem);
            lane.add(put);
            eager.add(partition);
        }
    }

    /** It has no place in a lane: there is no such partition for it, or no right. */
    private void refuseAtOnce(InFlightPut put, Problem problem) {
        put.refused(problem);
        answer(put);
    }

    private void answer(InFlightPut put) {
        memory.release(put.memory());
        answers.add(put);
    }

    /** Returns the next work to begin; null if there is none. */
    @Nullable
    StreamWork nextWork() {
        if (over) {
            return null;
        }
        while (!eager.isEmpty()) {
            int partition = eager.iterator().next();
            PutLane lane = lanes.get(partition);
            InFlightPut put = lane == null ? null : lane.next(places.isHere(partition), stopping ? STOPPING : null);
            if (put != null) {
                return new StreamWork.BeginPut(put, put.begin());
            }
            eager.remove(partition);
            collect(partition);
        }
        StreamWork ofGroup = membership.next(stopping);
        return ofGroup != null || stopping ? ofGroup : subscriptions.next();
    }

    /** Something has become of the membership, unless the stream is over. */
    void inGroup(Consumer<Membership> event) {
        if (!over) {
            event.accept(membership);
        }
    }

    /** A put has been stored. */
    void stored(InFlightPut put, StoredPut where) {
        put.stored(where);
        ended(put);
    }

    /** A put has not been stored, or that is not known. */
    void refused(InFlightPut put, Problem why) {
        put.refused(why);
        ended(put);
    }

    private void ended(InFlightPut put) {
        if (over) {
            memory.release(put.memory() + (long) PUT_BYTES);
            put.delivery().ended(false);
            return;
        }
        PutLane lane = lanes.get(put.partition());
        if (lane != null) {
            lane.ended();
            eager.add(put.partition());
            collect(put.partition());
        }
    }

    /** Takes over the answers of a partition that are due. */
    private void collect(int partition) {
        PutLane lane = lanes.get(partition);
        if (lane == null) {
            return;
        }
        for (InFlightPut put = lane.pollEnded(); put != null; put = lane.pollEnded()) {
            answer(put);
        }
        if (lane.isDone()) {
            lanes.remove(partition);
        }
    }

    /** The end of a partition. */
    void endFound(Subscription asked, long offset) {
        subscriptions.endFound(asked, offset);
    }

    /** Handles the result of a read. */
    void read(Subscription asked, Found found) {
        subscriptions.read(asked, found);
    }

    /** A read has failed. */
    void readFailed(Subscription asked, Problem problem) {
        subscriptions.failed(asked, problem);
    }

    /**
     * The server stops: no put is begun any more, and the client is asked to go elsewhere.
     *
     * @param afterMillis time after which the client must be there
     */
    void stop(int afterMillis) {
        if (!stopping) {
            stopping = true;
            moveAfterMillis = afterMillis;
            eager.addAll(lanes.keySet());
        }
    }

    boolean isStopping() {
        return stopping;
    }

    /**
     * The server is drained: the client is asked to go elsewhere, and served as long as it stays.
     *
     * @param afterMillis time after which the client must be there
     */
    void move(int afterMillis) {
        if (!stopping) {
            moveAfterMillis = afterMillis;
        }
    }

    /** Returns whether all is answered and written after a stop, so that the stream may end. */
    boolean hasMoved() {
        return stopping && unanswered == 0 && membership.isQuiet() && !hasOutgoing();
    }

    /** The next message to be written; null if there is none. */
    @Nullable
    Outgoing nextOutgoing() {
        if (!opened) {
            opened = true;
            return Outgoing.of(format.opened(terms));
        }
        if (!answers.isEmpty()) {
            return nextAnswer();
        }
        if (toGrant > 0) {
            int bytes = toGrant;
            toGrant = 0;
            putCredit += bytes;
            return Outgoing.of(format.credit(bytes));
        }
        if (moveAfterMillis >= 0) {
            int after = moveAfterMillis;
            moveAfterMillis = -1;
            return Outgoing.of(format.move(after, !stopping));
        }
        return subscriptions.poll();
    }

    /** A refusal, or all puts that are stored up to the next one. */
    private Outgoing nextAnswer() {
        InFlightPut first = leaving();
        Problem problem = first.problem();
        if (problem != null) {
            return Outgoing.of(format.refused(first, problem));
        }
        List<InFlightPut> stored = new ArrayList<>(1);
        List<Delivery> deliveries = new ArrayList<>(1);
        for (InFlightPut put = first; put != null; put = nextStored(stored.size())) {
            stored.add(put);
            deliveries.add(put.delivery());
        }
        return new Outgoing(List.of(format.stored(stored)), 0, 0, deliveries);
    }

    private @Nullable InFlightPut nextStored(int already) {
        InFlightPut next = answers.peek();
        return next != null && next.isStored() && already < MOST_STORED_AT_ONCE ? leaving() : null;
    }

    private InFlightPut leaving() {
        InFlightPut put = answers.remove();
        unanswered--;
        isShort &= !answers.isEmpty();
        toGrant += put.bytes();
        memory.release(PUT_BYTES);
        return put;
    }

    boolean hasOutgoing() {
        return !opened || !answers.isEmpty() || toGrant > 0 || moveAfterMillis >= 0 || subscriptions.hasOutgoing();
    }

    /**
     * Returns whether somebody waits for the client: others of its group for its partitions, or the server for it to
     * read.
     */
    boolean isWaitedFor() {
        return stopping || membership.isActive() || hasOutgoing();
    }

    /** A message has been written. */
    void written(Outgoing message) {
        subscriptions.written(message);
        message.ended(true);
    }

    /**
     * Returns whether to continue reading. Reading pauses while the client does not read its answers, or while there is
     * no memory for them.
     */
    boolean wantsMore() {
        return unanswered + subscriptions.waiting() < MOST_UNANSWERED
                && !(isShort && !answers.isEmpty())
                && !subscriptions.isShort();
    }

    /** A message has not been written as a whole, and is not going to be. */
    void unwritten(Outgoing message) {
        memory.release(message.memory());
        message.ended(false);
    }

    /**
     * Ends the stream, for whatever reason. Work in progress and a message that is being written release their memory
     * when they end.
     */
    void end() {
        if (over) {
            return;
        }
        over = true;
        memory.release(incoming);
        for (InFlightPut put : answers) {
            memory.release(PUT_BYTES);
            put.delivery().ended(false);
        }
        answers.clear();
        lanes.values().forEach(this::abandon);
        lanes.clear();
        subscriptions.close();
    }

    private void abandon(PutLane lane) {
        for (InFlightPut put : lane.notUnderWay()) {
            memory.release(put.memory() + (long) PUT_BYTES);
            put.delivery().ended(false);
        }
    }
}
