// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.eclipse.jetty.http2.BufferingFlowControlStrategy;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.FlowControlStrategy;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.connection.StreamData;

/**
 * The streams of HTTP/2 whose requests are answered without reading their bodies, mostly because the sender is unknown.
 * If a client leaves no window for the answer, the request stays in memory uncounted, and each of its frames of one
 * byte would wait for a reader as an object. So frames of these streams are dropped. A stream that does not accept its
 * answer in time is reset. If there are too many on all connections, the next one is reset at once. Its connection ends
 * only if it has many of them itself, or if it does not accept resets while there are far too many. So the streams of
 * strangers never end the connection of a client that reads.
 *
 * <p>Thread-safe.
 */
final class RefusedStreams {
    /** At most, where there is memory for this many heads. */
    private static final int MAX_WAITING = 1_000;
    /** Beyond that each connection may have fewer than these, until the reset of the stream could be sent. */
    private static final int MANY_OF_CONNECTION = 16;
    /** The factor beyond the bound at which streams no longer wait for their reset to be sent. */
    private static final int FAR_TOO_MANY = 4;
    /** Jetty's own. */
    private static final float WINDOW_UPDATE_RATIO = 0.5f;

    private static final String REFUSED = RefusedStreams.class.getName();

    private final Scheduler scheduler;
    private final Duration deadline;
    private final int maxWaiting;
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * Creates the refused streams of one connector, as a bean of it.
     *
     * @param deadline for an answer to be taken
     * @param heads of requests for which there is memory
     */
    RefusedStreams(Scheduler scheduler, Duration deadline, int heads) {
        this.scheduler = scheduler;
        this.deadline = deadline;
        maxWaiting = Math.min(MAX_WAITING, heads);
    }

    /** The flow control of one connection. */
    static FlowControlStrategy flowControl() {
        return new DroppingFlowControl();
    }

    /**
     * Answers a request of which nothing more will be read.
     *
     * @param callback learns whether the answer was written
     * @param write writes the complete answer, with the given callback
     */
    static void answer(Request request, Callback callback, Consumer<Callback> write) {
        if (request.getConnectionMetaData().getConnection() instanceof HTTP2Connection connection) {
            @Nullable HTTP2Stream stream = connection.getSession().getStream(Integer.parseInt(request.getId()));
            Connector connector = request.getConnectionMetaData().getConnector();
            @Nullable RefusedStreams streams = connector.getBean(RefusedStreams.class);
            if (stream != null && streams != null) {
                streams.answer(connection, stream, callback, write);
                return;
            }
        }
        write.accept(callback);
    }

    private void answer(HTTP2Connection connection, HTTP2Stream stream, Callback callback, Consumer<Callback> write) {
        stream.setAttribute(REFUSED, true);
        StreamData.drop(stream);
        Answer answer = new Answer(connection, stream, callback);
        write.accept(answer);
        answer.awaitTaken();
    }

    private static AtomicInteger waitingOf(HTTP2Connection connection) {
        return connection.getSession().getFlowControlStrategy() instanceof DroppingFlowControl ours
                ? ours.waiting
                : new AtomicInteger();
    }

    /** Before another frame of a refused stream is kept, drops the previous one. Thread-safe. */
    private static final class DroppingFlowControl extends BufferingFlowControlStrategy {
        /** Answers of this connection. */
        private final AtomicInteger waiting = new AtomicInteger();

        DroppingFlowControl() {
            super(WINDOW_UPDATE_RATIO);
        }

        @Override
        public void onDataReceived(Session session, @Nullable Stream stream, int length) {
            super.onDataReceived(session, stream, length);
            if (stream != null && stream.getAttribute(REFUSED) != null) {
                StreamData.drop(stream);
            }
        }
    }

    private enum State {
        WRITING,
        WAITING,
        ENDED
    }

    /** The end of an answer. Thread-safe. */
    private final class Answer extends Callback.Nested {
        private final HTTP2Connection connection;
        private final HTTP2Stream stream;
        private final AtomicInteger waitingOfConnection;
        private final AtomicReference<State> state = new AtomicReference<>(State.WRITING);
        private volatile Scheduler.@Nullable Task end;

        Answer(HTTP2Connection connection, HTTP2Stream stream, Callback callback) {
            super(callback);
            this.connection = connection;
            this.stream = stream;
            waitingOfConnection = waitingOf(connection);
        }

        /** Counts it, if it has not gone at once. */
        void awaitTaken() {
            if (!state.compareAndSet(State.WRITING, State.WAITING)) {
                return;
            }
            boolean tooMany = waiting.incrementAndGet() > maxWaiting;
            boolean manyOfConnection = waitingOfConnection.incrementAndGet() >= MANY_OF_CONNECTION;
            if (!tooMany) {
                endLater(this::endStream);
            } else if (manyOfConnection) {
                endConnection();
            } else {
                endStream();
                if (waiting.get() > FAR_TOO_MANY * maxWaiting) {
                    endConnection(); // unless the reset could be sent at once
                }
            }
        }

        private void endLater(Runnable task) {
            end = scheduler.schedule(task, deadline.toMillis(), TimeUnit.MILLISECONDS);
            if (state.get() == State.ENDED) {
                cancelEnd();
            }
        }

        private void endStream() {
            if (state.get() == State.WAITING) {
                int code = ErrorCode.ENHANCE_YOUR_CALM_ERROR.code;
                stream.reset(new ResetFrame(stream.getId(), code), Callback.NOOP);
                endLater(this::endConnection); // if not even that can be sent
            }
        }

        private void endConnection() {
            if (state.get() == State.WAITING) {
                connection.onConnectionFailure(ErrorCode.ENHANCE_YOUR_CALM_ERROR.code, "answers_not_taken");
                connection.getEndPoint().close(); // there may be no room for that frame either
            }
        }

        private void cancelEnd() {
            Scheduler.@Nullable Task task = end;
            if (task != null) {
                task.cancel();
            }
        }

        private void ended() {
            if (state.getAndSet(State.ENDED) == State.WAITING) {
                waiting.decrementAndGet();
                waitingOfConnection.decrementAndGet();
                cancelEnd();
            }
        }

        @Override
        public void succeeded() {
            ended();
            super.succeeded();
        }

        @Override
        public void failed(Throwable cause) {
            ended();
            super.failed(cause);
        }
    }
}
