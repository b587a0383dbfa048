// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.StreamEndException;
import org.talos.server.runtime.time.Ticker;

/**
 * Sends a client heartbeats, pings it, and answers its pings. A heartbeat is a pong that answers nothing (RFC 6455,
 * 5.5.3), which costs half of a ping with its answer. After some heartbeats without data from the client, pings follow.
 * At most one frame of each kind is in flight: otherwise more and more of them would wait for a client that does not
 * read. Counts frames without a payload, and refuses too many of them.
 *
 * <p>Confined: the events of its stream; {@link #heard} is thread-safe.
 */
final class Heartbeat {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Signs in a row for which nothing need come. */
    private static final int UNASKED_SIGNS = 2;
    /**
     * One more ends the stream: with five heartbeats in twice the idle time, that is how long a client may be silent.
     */
    private static final int UNANSWERED_PINGS = 1;

    private final int mostPerSecond;
    private final Ticker ticker;
    private final Executor events;
    private long sinceNanos;
    private int counted;
    private final Sign pong = new Sign(OpCode.PONG);
    private final Sign ping = new Sign(OpCode.PING);
    private volatile boolean heard; // something since the last sign
    private int quiet; // signs in a row that nothing has come after
    private int pings; // of these
    private boolean ponging;
    private @Nullable ByteBuffer owed; // the newest ping's payload; those before need no answer (RFC 6455, 5.5.3)

    /**
     * Nothing has come yet.
     *
     * @param mostPerSecond pings, pongs and empty frames
     * @param events runs the next step after a frame
     */
    Heartbeat(int mostPerSecond, Ticker ticker, Executor events) {
        this.mostPerSecond = mostPerSecond;
        this.ticker = ticker;
        this.events = events;
        sinceNanos = ticker.nanos();
    }

    /** Something has come. */
    void heard() {
        heard = true;
    }

    /**
     * Counts a frame that carries nothing.
     *
     * @throws StreamEndException there are too many
     */
    void count() throws StreamEndException {
        long now = ticker.nanos();
        if (now - sinceNanos >= SECOND_NANOS) {
            sinceNanos = now;
            counted = 0;
        }
        counted++;
        if (counted > mostPerSecond) {
            throw new StreamEndException(
                    CloseCode.NOT_ALLOWED, "more than " + mostPerSecond + " pings and empty frames a second");
        }
    }

    /** Answers a ping. */
    void answer(CoreSession to, Frame ping) throws StreamEndException {
        count();
        owed = ByteBuffer.allocate(ping.getPayloadLength())
                .put(ping.getPayload().duplicate())
                .flip();
        pong(to);
    }

    private void pong(CoreSession to) {
        ByteBuffer payload = owed;
        if (payload != null && !ponging) {
            owed = null;
            ponging = true;
            to.sendFrame(
                    new Frame(OpCode.PONG, payload),
                    written(() -> {
                        ponging = false;
                        pong(to);
                    }),
                    false);
        }
    }

    /** Returns whether the last pings have not been answered; to be asked before each sign. */
    boolean isSilent() {
        if (heard) {
            heard = false;
            quiet = 0;
            pings = 0;
        }
        return pings > UNANSWERED_PINGS;
    }

    /**
     * Shows a sign, unless the last one of its kind still waits for the client to read.
     *
     * @param asks whether the client has to answer, though it may have been heard just now
     */
    void show(CoreSession to, boolean asks) {
        boolean isPing = asks || pings > 0 || quiet >= UNASKED_SIGNS;
        quiet++;
        pings += isPing ? 1 : 0;
        (isPing ? ping : pong).send(to);
    }

    /** Returns the callback of a write. Nothing follows on a connection that has failed. */
    private Callback written(Runnable next) {
        return Callback.from(() -> events.execute(next), failure -> {});
    }

    /** A frame without a payload, of which one waits at most. Confined: as the heartbeat; its end is thread-safe. */
    private static final class Sign implements Callback {
        private final byte opcode;
        private volatile boolean waits; // until the client reads, or forever on a connection that has failed

        Sign(byte opcode) {
            this.opcode = opcode;
        }

        void send(CoreSession to) {
            if (!waits) {
                waits = true;
                to.sendFrame(new Frame(opcode), this, false);
            }
        }

        @Override
        public InvocationType getInvocationType() {
            return InvocationType.NON_BLOCKING;
        }

        @Override
        public void succeeded() {
            waits = false;
        }
    }
}
