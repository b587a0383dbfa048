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
import org.talos.server.runtime.Ticker;

/**
 * Asks a client whether it is there, and answers when it asks. One ping and one pong are under way at most: who does
 * not read would else have more and more of them wait. Counts what carries nothing, and refuses what is too much of it.
 *
 * <p>Confined: the events of its stream; {@link #heard} is thread-safe.
 */
final class Heartbeat {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** With three pings within the idle time, one more is its end. */
    private static final int UNANSWERED_PINGS = 1;

    private final int mostPerSecond;
    private final Ticker ticker;
    private final Executor events;
    private long sinceNanos;
    private int counted;
    private volatile boolean heard; // something since the last ping
    private int pings; // in a row that nothing has come after
    private boolean pinging;
    private boolean ponging;
    private @Nullable ByteBuffer owed; // the newest ping's payload; those before need no answer (RFC 6455, 5.5.3)

    /**
     * Nothing has come yet.
     *
     * @param mostPerSecond pings, pongs and empty frames
     * @param events runs what follows a frame
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

    /** Whether the last pings have not been answered; from now on it is asked anew. */
    boolean isSilent() {
        pings = heard ? 0 : pings;
        heard = false;
        return pings > UNANSWERED_PINGS;
    }

    /** Asks, unless the last question still waits for the client to read. */
    void ping(CoreSession to) {
        pings++;
        if (!pinging) {
            pinging = true;
            to.sendFrame(new Frame(OpCode.PING), written(() -> pinging = false), false);
        }
    }

    /** Of a connection that has failed nothing follows. */
    private Callback written(Runnable next) {
        return Callback.from(() -> events.execute(next), failure -> {});
    }
}
