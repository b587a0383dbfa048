// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.StreamEndException;
import org.talos.server.memory.RequestMemory;

/**
 * The reads of a stream: subscriptions in turn, within the client's credit. A read of stored messages reserves the
 * credit that it may need. A read that waits for messages reserves none; messages beyond the credit are dropped and
 * read again.
 *
 * <p>Invariant: the blocks that are not written yet are no more than the window, whatever the client grants.
 *
 * <p>Confined: its stream.
 */
final class Subscriptions {
    /** Is notified of subscriptions that end by themselves. Confined: their stream. */
    interface Listener {
        /**
         * A subscription has ended.
         *
         * @param next first offset that the client has not been sent
         * @return whether the client need not know
         */
        boolean ended(int partition, long next, Problem problem);
    }

    private static final int MOST = 1_000;
    private static final long READ_BYTES = 256 << 10;
    /** The memory of each until its last read has ended. */
    private static final int SUBSCRIPTION_BYTES = 2 << 10;

    private final int window;
    private final StreamFormat format;
    private final RequestMemory memory;
    private Listener listener = (partition, next, problem) -> false;
    private final Map<Integer, Subscription> byPartition = new HashMap<>();
    private final Deque<Subscription> ready = new ArrayDeque<>(1);
    private final Deque<Outgoing> outgoing = new ArrayDeque<>(1);
    private int free; // of the outgoing messages, those without credit
    private boolean isShort; // of memory for them, until none waits
    private long credit;
    private long unwritten;

    Subscriptions(int window, StreamFormat format, RequestMemory memory) {
        this.window = window;
        this.format = format;
        this.memory = memory;
        credit = window;
    }

    /** Sets the listener that decides first when a subscription ends by itself. */
    void listener(Listener first) {
        listener = first;
    }

    /**
     * Begins a subscription, or moves it.
     *
     * @throws StreamEndException there are too many
     */
    void subscribe(int partition, long from) throws StreamEndException {
        unsubscribe(partition);
        if (byPartition.size() >= MOST) {
            throw new StreamEndException(CloseCode.NOT_ALLOWED, "more than " + MOST + " subscriptions");
        }
        if (!begin(partition, from)) {
            send(format.ended(partition, noMemory()));
        }
    }

    /** Begins a subscription; false if there is no memory for it. */
    boolean begin(int partition, long from) {
        if (!memory.tryReserve(SUBSCRIPTION_BYTES)) {
            return false;
        }
        Subscription begun = new Subscription(partition, from);
        byPartition.put(partition, begun);
        ready.add(begun);
        return true;
    }

    boolean isEmpty() {
        return byPartition.isEmpty();
    }

    /** First offset of a partition that the client has not been sent; empty if it is not subscribed. */
    OptionalLong next(int partition) {
        Subscription known = byPartition.get(partition);
        return known == null ? OptionalLong.empty() : OptionalLong.of(known.next());
    }

    /**
     * Sends a message that needs no credit, behind all waiting ones. It cannot be refused, so reading from the client
     * pauses instead.
     */
    void send(ByteBuffer message) {
        long bytes = Outgoing.memory(message.remaining());
        if (!memory.tryReserve(bytes)) {
            memory.take(bytes);
            isShort = true;
        }
        free++;
        outgoing.add(new Outgoing(List.of(message), 0, bytes, List.of()));
    }

    void unsubscribe(int partition) {
        Subscription known = byPartition.remove(partition);
        if (known != null) {
            known.drop();
            if (!known.isUnderWay()) {
                ready.remove(known);
                memory.release(SUBSCRIPTION_BYTES);
            }
        }
    }

    /** Grants this number of bytes more; more than the window at once cannot be used. */
    void grant(int bytes) {
        credit = Math.min(window, credit + bytes);
    }

    private long available() {
        return Math.min(credit, window - unwritten);
    }

    /** The next read that there is credit for; null if there is none. */
    @Nullable
    StreamWork next() {
        Subscription first = ready.peek();
        if (first == null || available() < first.lacks()) {
            return null; // the subscription with the largest deficit is next, or it would never be served
        }
        ready.remove();
        if (first.next() == ClientMessage.Subscribe.END) {
            first.begin(0);
            return new StreamWork.FindEnd(first);
        }
        long most = format.isText() ? window / 2 : READ_BYTES;
        long bytes = Math.max(first.lacks(), Math.min(available(), most));
        boolean waits = first.isAtEnd();
        first.begin(waits ? 0 : bytes);
        credit -= waits ? 0 : bytes;
        return new StreamWork.Read(first, first.next(), bytes, waits);
    }

    /** The end of a partition, where a subscription begins. */
    void endFound(Subscription asked, long offset) {
        if (finish(asked)) {
            asked.next(offset);
            asked.foundEnd(offset);
            ready.add(asked);
        }
    }

    /** Accepts the result of a read. */
    void read(Subscription asked, Found found) {
        try (found) {
            if (finish(asked)) {
                take(asked, found);
            }
        }
    }

    private void take(Subscription asked, Found found) {
        if (asked.next() == ClientMessage.Subscribe.EARLIEST) {
            asked.next(found.startOffset());
        }
        asked.lacks(1);
        // Nothing found is the end, whatever it was when the read began: the next read waits.
        asked.foundEnd(found.pieces().isEmpty() ? asked.next() : found.endOffset());
        for (Found.Piece each : found.pieces()) {
            if (!take(asked, each, found)) {
                break;
            }
        }
        if (asked.isCurrent()) {
            ready.add(asked);
        }
    }

    /** Sends a piece; returns false if no more of the read is accepted. */
    private boolean take(Subscription asked, Found.Piece piece, Found found) {
        long cost = piece.cost();
        if (cost > window) {
            end(asked, tooLarge(asked.partition(), piece));
            return false;
        }
        if (cost > available()) {
            // A block of texts is decoded again for its rest, which must be at least half of the window to be worth it.
            asked.lacks(format.isText() ? Math.max(cost, window / 2) : cost);
            return false;
        }
        found.held().moveTo(memory, piece.memory());
        credit -= cost;
        unwritten += cost;
        // Where the subscription is, also if that is in a gap before the block: its client knows the next block by it.
        outgoing.add(new Outgoing(piece.parts(asked.next(), found.endOffset()), (int) cost, piece.memory(), List.of()));
        asked.next(piece.behind());
        return true;
    }

    /** A read has failed: the subscription ends. */
    void failed(Subscription asked, Problem problem) {
        if (finish(asked)) {
            end(asked, problem);
        }
    }

    /** Returns whether the client still wants the result of a read. */
    private boolean finish(Subscription asked) {
        credit = Math.min(window, credit + asked.finish());
        if (!asked.isCurrent()) {
            memory.release(SUBSCRIPTION_BYTES);
        }
        return asked.isCurrent();
    }

    private void end(Subscription ended, Problem problem) {
        unsubscribe(ended.partition());
        if (!listener.ended(ended.partition(), ended.next(), problem)) {
            send(format.ended(ended.partition(), problem));
        }
    }

    private static Problem noMemory() {
        return Problem.refused(503, "no-memory", "the server has no memory for this now; subscribe again later");
    }

    private Problem tooLarge(int partition, Found.Piece piece) {
        long first = piece.first();
        long last = piece.behind() - 1;
        String what =
                format.isText() ? "the message of offset " + first : "the block of offsets " + first + " to " + last;
        String detail = "partition " + partition + ": " + what + " takes " + piece.cost() + " bytes, and the window is "
                + window + "; open with a larger window, or continue at " + (last + 1);
        return new Problem(
                413,
                "larger-than-window",
                detail,
                Effect.NONE,
                Optional.empty(),
                Optional.of(new Problem.Unreadable(partition, first, last)),
                Duration.ZERO);
    }

    @Nullable
    Outgoing poll() {
        Outgoing next = outgoing.poll();
        if (next != null && next.cost() == 0) {
            free--;
            isShort &= free > 0;
        }
        return next;
    }

    boolean hasOutgoing() {
        return !outgoing.isEmpty();
    }

    /** Messages that wait to be written and cost nothing. */
    int waiting() {
        return free;
    }

    /** Returns whether there was no memory for one of these. */
    boolean isShort() {
        return isShort;
    }

    /** A message has been written. */
    void written(Outgoing message) {
        unwritten -= message.cost();
        memory.release(message.memory());
    }

    /** Ends all; reads that are under way give back their memory when they end. */
    void close() {
        List.copyOf(byPartition.keySet()).forEach(this::unsubscribe);
        for (Outgoing block = poll(); block != null; block = poll()) {
            memory.release(block.memory());
        }
    }
}
