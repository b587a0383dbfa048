// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
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
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.JsonDecoder;
import org.talos.server.http.stream.incoming.MessageSource;
import org.talos.server.http.stream.incoming.StreamEndException;
import org.talos.server.http.stream.incoming.Unmasking;
import org.talos.server.runtime.thread.EventLoopIteration;

/**
 * A stream on its connection: passes events to the session, one after another, and carries out its decisions.
 * Continuations of the server's calls run on the selector of the connection. No thread waits.
 *
 * <p>Thread-safe.
 */
final class StreamSocket implements FrameHandler {
    private static final Logger LOG = LoggerFactory.getLogger(StreamSocket.class);
    /** The bytes of a text that a selector reads in less than a millisecond. */
    private static final int HEAVY_TEXT_BYTES = 64 << 10;
    /** The time for a client to answer that the stream is closed. */
    private static final long CLOSE_SECONDS = 5;

    private final StreamSession session;
    private final MessageSource source;
    private final StreamWorker worker;
    private final Upgrade.Ground ground;
    private final Heartbeat heartbeat;
    private final Departure departure;
    private final long madeNanos;
    private final EndPoint connection;
    private final Scheduler scheduler;
    private final Executor heavy;
    private final Executor events = new Events();
    private Runnable onEnd = () -> {}; // set before it opens
    private @Nullable CoreSession socket; // from its opening on; all below belongs to the events
    private @Nullable StreamWriter writer;
    private @Nullable BodyPace pace; // of the message that is being read
    private boolean decodes; // a text, behind which nothing is read
    private boolean stalled; // nothing is read until answers have gone
    private boolean writesSoon;
    private boolean leaves; // it will look again whether it may be closed
    private boolean closing;
    private boolean over;

    /**
     * A stream whose connection does not exist yet.
     *
     * @param connection of its own; over HTTP/2 that is a part of one
     * @param scheduler of the connection
     * @param heavy runs long work, outside of the threads with connections
     */
    StreamSocket(
            StreamSession session,
            MessageSource source,
            StreamCalls calls,
            Upgrade.Ground ground,
            EndPoint connection,
            Scheduler scheduler,
            Executor heavy) {
        this.connection = connection;
        this.session = session;
        this.ground = ground;
        this.scheduler = scheduler;
        this.heavy = heavy;
        madeNanos = ground.parts().ticker().nanos();
        departure = new Departure(madeNanos);
        this.source = source;
        worker = new StreamWorker(
                session,
                calls,
                ground.problems(),
                new StreamWorker.Ways(events, this::later, this::after, this::resume, this::refused));
        heartbeat = new Heartbeat(
                ground.parts().config().limits().http2EventsPerSecond(),
                ground.parts().ticker(),
                events);
    }

    /** Sets the task to run when all is over; to be called before it opens. */
    void onEnd(Runnable last) {
        onEnd = last;
    }

    /** Handles one event after another, on the thread that reports it, or on the thread that is handling another. */
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
        Unmasking.use(opened);
        callback.succeeded();
        events.execute(() -> {
            socket = opened;
            writer = new StreamWriter(session, opened, ground.buffers(), events, this::later, this::writeOn);
            opened.addIdleTimeoutListener(expired -> {
                beat(); // the server stops: it has else none
                return false; // Jetty would wait forever behind data that the client does not read
            });
            resume();
            opened.demand();
        });
    }

    /** The request is answered: a stream that has not opened by now never will. */
    void endUnlessOpened() {
        events.execute(() -> {
            if (socket == null) {
                finish();
            }
        });
    }

    /** Shows a sign; ends the stream if the client was asked whether it is there and is not, or its key is gone. */
    void beat() {
        events.execute(this::show);
    }

    private void show() {
        CoreSession opened = socket;
        if (opened == null || closing || over) {
            return;
        }
        checkPace(opened);
        if (heartbeat.isSilent()) {
            // Disconnects a client one second after a stopping server has asked it to move: a slower client has done
            // nothing wrong.
            close(opened, session.isStopping() ? CloseCode.MOVED : CloseCode.SILENT, "a ping was not answered");
            return;
        }
        worker.requireKey();
        if (!closing) {
            heartbeat.show(opened, session.isWaitedFor() || (writer != null && !writer.isIdle()));
        }
    }

    @Override
    public void onFrame(Frame frame, Callback callback) {
        heartbeat.heard();
        if (frame.getOpCode() == OpCode.CLOSE) {
            callback.succeeded(); // which is answered for us
            return;
        }
        Runnable event = () -> take(frame, callback);
        if (ground.turns().isUnderWay()) {
            events.execute(event);
        } else {
            ground.turns().execute(() -> events.execute(event)); // whatever the number of the user's connections
        }
    }

    private void take(Frame frame, Callback callback) {
        CoreSession opened = socket;
        if (opened == null || closing || over) {
            callback.succeeded();
            if (opened != null) {
                readOn(opened); // until the client has answered the end
            }
            return;
        }
        try {
            take(opened, frame);
        } catch (StreamEndException e) {
            close(opened, e.code(), e.sentence());
        }
        callback.succeeded();
        resume();
        readOn(opened);
    }

    private void take(CoreSession opened, Frame frame) throws StreamEndException {
        switch (frame.getOpCode()) {
            case OpCode.PING -> heartbeat.answer(opened, frame);
            case OpCode.PONG -> heartbeat.count();
            default -> {
                requireKind(frame.getOpCode());
                if (!frame.hasPayload()) {
                    heartbeat.count();
                }
                take(frame.getPayload(), frame.isFin());
            }
        }
        checkPace(opened);
    }

    private void requireKind(byte opcode) throws StreamEndException {
        if (opcode != OpCode.CONTINUATION && (opcode == OpCode.TEXT) != source.isText()) {
            throw new StreamEndException(
                    CloseCode.OTHER_KIND, "talos.v1 has binary messages, and talos.v1.json has texts");
        }
    }

    private void take(ByteBuffer payload, boolean last) throws StreamEndException {
        if (pace == null) {
            pace = fromNow();
        }
        ClientMessage message = source.take(payload.slice(), last);
        if (message == null) {
            departure.asked(nanos());
            return;
        }
        pace = null;
        if (message instanceof ClientMessage.Text text) {
            read(text);
        } else {
            received(message);
        }
    }

    private BodyPace fromNow() {
        return new BodyPace(
                ground.parts().config().minBodyBytesPerSecond(),
                ground.parts().config().bodyGrace(),
                nanos(),
                ground.parts().ticker());
    }

    private long nanos() {
        return ground.parts().ticker().nanos();
    }

    private void received(ClientMessage message) throws StreamEndException {
        if (message instanceof ClientMessage.Put || message instanceof ClientMessage.Commit) {
            departure.asked(nanos());
        }
        session.received(message);
    }

    /** Reads a text. A large one is read on a thread without connections, and messages behind it wait. */
    private void read(ClientMessage.Text text) throws StreamEndException {
        if (text.bytes().remaining() <= HEAVY_TEXT_BYTES) {
            try {
                received(JsonDecoder.read(text.bytes(), nowMillis()));
            } finally {
                text.memory().close();
            }
            return;
        }
        decodes = true;
        heavy.execute(() -> {
            ClientMessage message = readHeavy(text);
            later(() -> received(text, message));
        });
    }

    private ClientMessage readHeavy(ClientMessage.Text text) {
        try {
            return JsonDecoder.read(text.bytes(), nowMillis());
        } catch (RuntimeException | Error e) {
            LOG.error("text message unreadable", e);
            return new ClientMessage.Wrong(new StreamEndException(CloseCode.FAILED, "the server failed"));
        }
    }

    private void received(ClientMessage.Text text, ClientMessage message) {
        decodes = false;
        CoreSession opened = socket;
        if (opened != null && !closing && !over) {
            try {
                received(message);
            } catch (StreamEndException e) {
                close(opened, e.code(), e.sentence());
            }
        }
        text.memory().close();
        resume();
        if (opened != null) {
            readOn(opened);
        }
    }

    private long nowMillis() {
        return ground.parts().clock().millis();
    }

    private void checkPace(CoreSession opened) {
        BodyPace begun = pace;
        if (begun != null && !stalled && begun.isTooSlow(source.received())) {
            close(opened, CloseCode.LATER, "the message comes too slowly");
        }
    }

    /** Begins the session's next work, and writes its next messages. */
    private void resume() {
        CoreSession opened = socket;
        StreamWriter writing = writer;
        if (opened == null || writing == null || over) {
            return;
        }
        beginWork();
        writeSoon(writing);
        leaveIfDone(opened, writing);
        if (stalled && session.wantsMore()) {
            stalled = false;
            pace = pace == null ? null : fromNow(); // it was not the client that was slow
            readOn(opened);
        }
    }

    /** Runs at the end of the selector's turn: answers of one turn are written together. */
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
        if (stalled) {
            heartbeat.heard(); // the reader is there, and may have answered: that is not read now
        }
        if (writing != null) {
            write(writing);
        }
        resume();
    }

    private void leaveIfDone(CoreSession opened, StreamWriter writing) {
        if (leaves || decodes || !session.hasMoved() || !writing.isIdle()) {
            return;
        }
        long left = departure.leftMillis(nanos());
        if (left == 0) {
            close(opened, CloseCode.MOVED, "the server is stopping; use another server");
            return;
        }
        leaves = true;
        after(left, () -> {
            leaves = false;
            resume();
        });
    }

    /**
     * Begins the work that has come in one iteration of the event loop, so that it is written to the journal together.
     */
    private void beginWork() {
        Executor turn = EventLoopIteration.isUnderWay() ? null : ground.continuation();
        if (turn != null) {
            EventLoopIteration.begin(turn);
        }
        try {
            for (StreamWork work = session.nextWork(); work != null; work = session.nextWork()) {
                worker.begin(work);
            }
        } finally {
            if (turn != null) {
                EventLoopIteration.leave();
            }
        }
    }

    private void after(long millis, Runnable event) {
        var unused = scheduler.schedule(() -> later(event), millis, TimeUnit.MILLISECONDS);
    }

    /** The key is gone. */
    private void refused(Problem problem) {
        CoreSession opened = socket;
        if (opened != null) {
            close(opened, CloseCode.NOT_ALLOWED, problem.detail());
        }
    }

    /** Reads the next frame in this turn of the user or a later one, unless the answers pile up. */
    private void readOn(CoreSession opened) {
        if (over || decodes) {
            return;
        }
        if (!closing && !session.wantsMore()) {
            stalled = true;
        } else if (ground.turns().tryContinue()) {
            opened.demand();
        } else {
            ground.turns().execute(opened::demand);
        }
    }

    /** Asks the client to move once its open requests are answered: the server stops. */
    void stop(int withinMillis) {
        later(() -> {
            session.stop(Departure.after(madeNanos, withinMillis));
            resume();
        });
    }

    /** The server is drained: the client is asked to go elsewhere, and served as long as it stays. */
    void move(int withinMillis) {
        later(() -> {
            session.move(Departure.after(madeNanos, withinMillis));
            resume();
        });
    }

    private void close(CoreSession opened, CloseCode code, String sentence) {
        if (closing || over) {
            return;
        }
        closing = true;
        end();
        opened.close(code.number(), sentence, Callback.NOOP);
        var unused = scheduler.schedule(() -> later(() -> abort(opened)), CLOSE_SECONDS, TimeUnit.SECONDS);
        if (stalled) {
            stalled = false;
            opened.demand();
        }
    }

    /** Jetty reports a connection closed once a close frame is queued, which may wait forever behind unread data. */
    private void abort(CoreSession opened) {
        if (!over) {
            EofException cause = new EofException("the client has not taken the end of its stream");
            Callback written = connection.cancelWrite(cause); // over HTTP/2 it would continue waiting for a window
            opened.abort();
            if (written != null) {
                written.failed(cause);
            }
        }
    }

    private void end() {
        StreamWriter writing = writer;
        session.end();
        if (writing != null) {
            writing.end();
        }
        source.close();
    }

    @Override
    public void onError(Throwable cause, Callback callback) {
        LOG.debug("stream broken", cause);
        callback.succeeded();
    }

    @Override
    public void onClosed(CloseStatus status, Callback callback) {
        events.execute(() -> {
            finish();
            callback.succeeded();
        });
    }

    private void finish() {
        over = true;
        end();
        onEnd.run();
    }
}
