// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.util.thread.SerializedExecutor;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.OpCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.http.BodyPace;
import org.talos.server.http.rest.Upgrade;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.runtime.Turn;

/**
 * A stream on its connection: brings what happens to the session, one event after another, and does what that asks for.
 * What follows the server's calls runs on the selector of the connection. No thread waits.
 *
 * <p>Thread-safe.
 */
final class StreamSocket implements FrameHandler {
    private static final Logger LOG = LoggerFactory.getLogger(StreamSocket.class);
    /** So many are read before other connections of the selector have their turn. */
    private static final int BYTES_AT_ONCE = 128 << 10;
    /** For a client to answer that the stream is closed. */
    private static final long CLOSE_SECONDS = 5;

    private static final int UNAUTHORIZED = 401;
    /** With three pings within the idle time, one more is its end. */
    private static final int UNANSWERED_PINGS = 1;

    private static final int MOVE_WITHIN_MILLIS = 2_000;
    /** For what a client has sent before it knew: it had else a reset connection, and no answers. */
    private static final long MOVE_MILLIS = 200;

    private final StreamSession session;
    private final MessageDecoder decoder;
    private final StreamCalls calls;
    private final Upgrade.Ground ground;
    private final ControlRate controls;
    private final long madeNanos;
    private final Scheduler scheduler;
    private final Executor events = new Events();
    private Runnable onEnd = () -> {}; // set before it opens
    private @Nullable CoreSession socket; // from its opening on; all below belongs to the events
    private @Nullable StreamWriter writer;
    private @Nullable BodyPace pace; // of the message that is being read
    private int readAtOnce;
    private boolean stalled; // nothing is read until answers have gone
    private volatile boolean heard; // something since the last ping
    private int pings; // in a row that nothing has come after
    private boolean writesSoon;
    private boolean leaves; // it will look again whether it may be closed
    private boolean closing;
    private boolean over;

    /** @param scheduler of the connection */
    StreamSocket(StreamSession session, StreamCalls calls, Upgrade.Ground ground, Scheduler scheduler) {
        this.session = session;
        this.calls = calls;
        this.ground = ground;
        this.scheduler = scheduler;
        madeNanos = ground.parts().ticker().nanos();
        decoder = new MessageDecoder(session);
        controls = new ControlRate(
                ground.parts().config().limits().http2EventsPerSecond(),
                ground.parts().ticker());
    }

    /** What to run when all is over; to be set before it opens. */
    void onEnd(Runnable last) {
        onEnd = last;
    }

    /** One event after another, on the thread that brings it, or the one that runs another meanwhile. */
    private final class Events extends SerializedExecutor {
        @Override
        protected void onError(Runnable event, Throwable thrown) {
            LOG.error("stream failed", thrown);
            CoreSession opened = socket;
            if (opened != null) {
                close(opened, CloseCode.FAILED, "the server failed");
            }
        }
    }

    /** Runs an event that comes from a thread which has other things to do. */
    private void later(Runnable event) {
        Executor continuation = ground.continuation();
        if (continuation == null) {
            events.execute(event);
        } else {
            continuation.execute(() -> events.execute(event));
        }
    }

    @Override
    public void onOpen(CoreSession opened, Callback callback) {
        callback.succeeded();
        events.execute(() -> {
            socket = opened;
            writer = new StreamWriter(session, opened, events, this::later, this::writeOn);
            goOn();
            opened.demand();
        });
    }

    /** Asks the client whether it is there; ends the stream if it has not even answered that, or its key is gone. */
    void beat() {
        events.execute(() -> {
            CoreSession opened = socket;
            if (opened == null || closing || over) {
                return;
            }
            checkPace(opened);
            pings = heard ? 0 : pings;
            heard = false;
            if (pings > UNANSWERED_PINGS) {
                close(opened, CloseCode.SILENT, "no answer to a ping");
                return;
            }
            try {
                calls.requireKey();
            } catch (RuntimeException e) {
                failed(e, problem -> {});
            }
            if (!closing) {
                pings++;
                opened.sendFrame(new Frame(OpCode.PING), Callback.NOOP, false);
            }
        });
    }

    @Override
    public void onFrame(Frame frame, Callback callback) {
        heard = true;
        if (frame.getOpCode() == OpCode.CLOSE) {
            callback.succeeded(); // which is answered for us
            return;
        }
        events.execute(() -> {
            CoreSession opened = socket;
            if (opened == null || closing || over) {
                callback.succeeded();
                demandIfOpen();
                return;
            }
            try {
                take(opened, frame);
            } catch (StreamEndException e) {
                close(opened, e.code(), e.sentence());
            }
            callback.succeeded();
            goOn();
            readOn(opened, frame.getPayloadLength());
        });
    }

    private void demandIfOpen() {
        CoreSession opened = socket;
        if (opened != null && !over) {
            opened.demand(); // until the client has answered that the stream is closed
        }
    }

    private void take(CoreSession opened, Frame frame) throws StreamEndException {
        switch (frame.getOpCode()) {
            case OpCode.TEXT -> throw new StreamEndException(CloseCode.NOT_BINARY, "talos.v1 has binary messages");
            case OpCode.PING -> {
                controls.count();
                ByteBuffer copy = ByteBuffer.allocate(frame.getPayloadLength())
                        .put(frame.getPayload().duplicate());
                opened.sendFrame(new Frame(OpCode.PONG, copy.flip()), Callback.NOOP, false);
            }
            case OpCode.PONG -> controls.count();
            default -> {
                if (!frame.hasPayload()) {
                    controls.count();
                }
                take(frame.getPayload(), frame.isFin());
            }
        }
        checkPace(opened);
    }

    private void take(ByteBuffer payload, boolean last) throws StreamEndException {
        if (pace == null) {
            pace = new BodyPace(
                    ground.parts().config().minBodyBytesPerSecond(),
                    ground.parts().config().bodyGrace(),
                    ground.parts().ticker().nanos(),
                    ground.parts().ticker());
        }
        ClientMessage message = decoder.take(payload.slice(), last);
        if (message != null) {
            pace = null;
            session.received(message);
        }
    }

    private void checkPace(CoreSession opened) {
        BodyPace begun = pace;
        if (begun != null && begun.isTooSlow(decoder.received())) {
            close(opened, CloseCode.TOO_SLOW, "the message comes too slowly");
        }
    }

    /** Begins what is to be begun, writes what is to be written. */
    private void goOn() {
        CoreSession opened = socket;
        StreamWriter writing = writer;
        if (opened == null || writing == null || over) {
            return;
        }
        beginWork();
        writeSoon(writing);
        if (hasMoved(writing) && !leaves) {
            leaves = true;
            var unused =
                    scheduler.schedule(() -> later(() -> leave(opened, writing)), MOVE_MILLIS, TimeUnit.MILLISECONDS);
        }
        if (stalled && session.wantsMore()) {
            stalled = false;
            opened.demand();
        }
    }

    /** At the end of the selector's turn: what is answered in it is written together. */
    private void writeSoon(StreamWriter writing) {
        Executor continuation = ground.continuation();
        if (continuation == null) {
            write(writing);
        } else if (!writesSoon && session.hasOutgoing()) {
            writesSoon = true;
            continuation.execute(() -> events.execute(() -> {
                writesSoon = false;
                write(writing);
            }));
        }
    }

    private void write(StreamWriter writing) {
        if (!closing && !over) {
            writing.write();
        }
    }

    /** A frame has been written. */
    private void writeOn() {
        StreamWriter writing = writer;
        if (writing != null) {
            write(writing);
        }
        goOn();
    }

    private boolean hasMoved(StreamWriter writing) {
        return session.hasMoved() && writing.isIdle();
    }

    /** Closes, unless something has come meanwhile which is to be answered first. */
    private void leave(CoreSession opened, StreamWriter writing) {
        leaves = false;
        if (hasMoved(writing)) {
            close(opened, CloseCode.MOVED, "the server is stopping; go on elsewhere");
        } else {
            goOn();
        }
    }

    /** With what has come together in one turn, so that it is written to the journal together. */
    private void beginWork() {
        Executor turn = Turn.isUnderWay() ? null : ground.continuation();
        if (turn != null) {
            Turn.begin(turn);
        }
        try {
            for (StreamWork work = session.nextWork(); work != null; work = session.nextWork()) {
                begin(work);
            }
        } finally {
            if (turn != null) {
                Turn.leave();
            }
        }
    }

    private void begin(StreamWork work) {
        if (work instanceof StreamWork.BeginPut put) {
            follow(
                    () -> calls.put(put.put(), put.message()),
                    stored -> session.stored(put.put(), stored),
                    problem -> session.refused(put.put(), problem),
                    events); // behind this one
        } else if (work instanceof StreamWork.FindEnd find) {
            follow(
                    () -> calls.end(find.subscription().partition()),
                    end -> session.endFound(find.subscription(), end),
                    problem -> session.readFailed(find.subscription(), problem),
                    this::later);
        } else if (work instanceof StreamWork.Read read) {
            follow(
                    () -> calls.read(read),
                    found -> session.read(read.subscription(), found),
                    problem -> session.readFailed(read.subscription(), problem),
                    this::later); // other connections first: memory may have the whole window
        }
    }

    /** A call of the server. Confined: as the socket. */
    private interface Call<T> {
        CompletionStage<T> begin();
    }

    private <T> void follow(Call<T> call, Consumer<T> ifDone, Consumer<Problem> ifFailed, Executor ifAtOnce) {
        CompletionStage<T> stage;
        try {
            stage = call.begin();
        } catch (RuntimeException e) {
            failed(e, ifFailed);
            return;
        }
        boolean atOnce = stage.toCompletableFuture().isDone();
        var unused = stage.whenComplete((done, thrown) -> {
            Runnable event = () -> {
                if (thrown == null) {
                    ifDone.accept(done);
                } else {
                    failed(thrown, ifFailed);
                }
                goOn();
            };
            if (atOnce) {
                ifAtOnce.execute(event);
            } else {
                later(event);
            }
        });
    }

    private void failed(Throwable thrown, Consumer<Problem> ifFailed) {
        Problem problem = ground.problems().apply(thrown);
        ifFailed.accept(problem);
        CoreSession opened = socket;
        if (problem.status() == UNAUTHORIZED && opened != null) {
            close(opened, CloseCode.NOT_ALLOWED, problem.detail());
        }
    }

    /** Reads on, once others have had their turn and the answers do not pile up. */
    private void readOn(CoreSession opened, int bytes) {
        readAtOnce += bytes;
        Executor continuation = ground.continuation();
        if (over) {
            return;
        }
        if (!closing && !session.wantsMore()) {
            stalled = true;
        } else if (readAtOnce >= BYTES_AT_ONCE && continuation != null) {
            readAtOnce = 0;
            continuation.execute(opened::demand);
        } else {
            opened.demand();
        }
    }

    /** The server stops: the client is sent elsewhere, once what is under way is answered. */
    void stop() {
        // By when it was opened, of which the microseconds differ: else all clients came elsewhere at once.
        int after = (int) Math.floorMod(TimeUnit.NANOSECONDS.toMicros(madeNanos), (long) MOVE_WITHIN_MILLIS);
        later(() -> {
            session.stop(after);
            goOn();
        });
    }

    private void close(CoreSession opened, CloseCode code, String sentence) {
        if (closing || over) {
            return;
        }
        closing = true;
        end();
        opened.close(code.number(), sentence, Callback.NOOP);
        var unused = scheduler.schedule(
                () -> {
                    if (!opened.isClosed()) {
                        opened.abort();
                    }
                },
                CLOSE_SECONDS,
                TimeUnit.SECONDS);
        if (stalled) {
            stalled = false;
            opened.demand();
        }
    }

    private void end() {
        StreamWriter writing = writer;
        session.end(writing == null ? null : writing.abandon());
    }

    @Override
    public void onError(Throwable cause, Callback callback) {
        LOG.debug("stream broken", cause);
        callback.succeeded();
    }

    @Override
    public void onClosed(CloseStatus status, Callback callback) {
        events.execute(() -> {
            over = true;
            end();
            onEnd.run();
            callback.succeeded();
        });
    }
}
