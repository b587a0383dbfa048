// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.message.TraceParent;
import org.talos.server.auth.AuthenticationException;
import org.talos.server.auth.Principal;
import org.talos.server.config.HttpConfig;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.fairness.UserTurn;
import org.talos.server.http.lent.LentBuffers;
import org.talos.server.memory.RequestMemory;
import org.talos.server.metrics.Operation;
import org.talos.server.metrics.OperationMetrics;
import org.talos.server.runtime.client.Presence;
import org.talos.server.runtime.thread.Continuation;
import org.talos.server.runtime.thread.EventLoopIteration;
import org.talos.server.runtime.thread.FairThreads;
import org.talos.server.service.call.BadRequestException;
import org.talos.server.service.call.ServiceAnswer.Delivery;
import org.talos.server.tracing.Trace;
import org.talos.server.tracing.Tracing;

/**
 * One request from its head to the end of its answer. The protocol checks the head and calls {@link #readBody}; then
 * the body is read, {@link Protocol#run} starts the work, and {@link Protocol#answer} or {@link Protocol#fail} is
 * called once that has ended.
 *
 * <p>Invariant: a request is answered once or its connection ends, whatever throws where; and its memory is released
 * once, when it ends.
 *
 * <p>Confined up to {@link Protocol#run}: one callback of the request at a time. Thread-safe from then on: the work may
 * end on any thread.
 *
 * @param <A> result of the work
 */
public final class HttpExchange<A> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpExchange.class);
    /** Smaller answers are covered by the memory that each request counts with. */
    private static final int SMALL_ANSWER_BYTES = 1 << 10;

    /** Only larger answers than this are refused, unless they belong to reads. */
    private static final int LARGE_ANSWER_BYTES = 16 << 10;

    private final HttpPort.Parts parts;
    private final Request request;
    private final Response response;
    private final Callback callback;
    private final Protocol<A> protocol;
    private final Presence presence;
    private final RequestSender sender;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean begun; // there is nothing further to be read
    private volatile long seenCpuNanos = OperationMetrics.NOT_SEEN;

    /** Reads a request of one protocol, and writes its answer. Confined and thread-safe as the exchange. */
    public interface Protocol<A> {
        /** Starts the work of the request. Never blocks. */
        CompletionStage<A> run(ByteBuffer body) throws AuthenticationException, BadRequestException;

        /** Returns whether a body takes long to decode although it is not large. */
        default boolean isHeavy(ByteBuffer body) {
            return false;
        }

        /** Writes the answer, by {@link HttpExchange#write}. */
        void answer(A answer);

        /** Answers a failure of {@link #run} or of the stage that it returned. */
        void fail(Throwable cause);

        /** Refuses a body that was not completely read: too large, too slow, or more than there is memory for. */
        void refuseBody(int status, String sentence);

        /** Refuses because there is no memory for the answer. */
        void refuseAnswer();
    }

    /** Creates an exchange, which begins when the protocol decides. */
    public HttpExchange(
            HttpPort.Parts parts, Request request, Response response, Callback callback, Protocol<A> protocol) {
        this.parts = parts;
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.protocol = protocol;
        presence = SelectorConnector.presenceOf(request);
        sender = new RequestSender(request, parts.budget());
    }

    /**
     * Runs the rest of the work once storage has answered: on the connection's thread, unless requests hold Jetty's
     * threads.
     */
    public @Nullable Continuation continuation() {
        return parts.invocation() == Invocable.InvocationType.NON_BLOCKING
                ? SelectorConnector.selectorOf(request)
                : null;
    }

    /** Returns the sender's turns on the thread that has the connection. */
    public UserTurn turns() {
        return continuation() == null ? UserTurn.ALONE : SelectorConnector.turnsOf(request, sender.turnId());
    }

    /** Lets the selector read the connection from now on: it changes its protocol. */
    public void readOnSelector() {
        if (continuation() != null) {
            SelectorConnector.readOnSelector(request);
        }
    }

    /** Returns whether the client is still there. */
    public Presence presence() {
        return presence;
    }

    /** Returns whether the body takes so long to decode that no thread with connections may do it. */
    private boolean isHeavy(ByteBuffer body) {
        return body.remaining() > BodyTask.LARGE_BYTES || protocol.isHeavy(body);
    }

    /** Runs long work of this request, or of the stream that it becomes, on a thread that serves no connection. */
    public Executor heavy() {
        if (continuation() == null) {
            return Runnable::run;
        }
        FairThreads threads = SelectorConnector.heavyOf(request);
        String user = sender.turnId();
        return task -> threads.execute(user, task);
    }

    /** Returns the buffers for the answer, and for the protocol to which the connection changes. */
    public LentBuffers lentBuffers() {
        return SelectorConnector.lentBuffersOf(request);
    }

    /** Marks the sender as known: from now on the memory of the request counts for that user. */
    public void sentBy(Principal principal) {
        sender.markUser(principal);
    }

    /** Takes the request's memory from the part for signing in: other requests without a key cannot use it up. */
    public void signsIn() {
        sender.signsIn();
    }

    /** Returns the memory of the request: in its user's share, or in its network's until a key has been shown. */
    public RequestMemory memory() {
        return sender.memory();
    }

    /**
     * Reads the body and continues to {@link Protocol#run}.
     *
     * @param limit of the body
     * @param room free bytes in front of the body, and as many behind it
     */
    public void readBody(long limit, int room) {
        if (!hasRoom()) {
            return;
        }
        BodyPace pace = paceFrom(request.getHeadersNanoTime());
        Received received = new Received();
        new BodyReader(request, limit, room, memory(), pace, callbacks(received), received).run();
    }

    /** Callbacks of a body's task, which continues in turns that all connections of the sender share. */
    private BodyTask.Callbacks callbacks(Executor turns) {
        return new BodyTask.Callbacks(parts.invocation(), continuation() == null ? null : turns);
    }

    /** Returns the memory of the request, without bodies, until it has ended. */
    public int requestBytes() {
        return sender.requestBytes();
    }

    private BodyPace paceFrom(long startNanos) {
        HttpConfig config = parts.config();
        return new BodyPace(config.minBodyBytesPerSecond(), config.bodyGrace(), startNanos, parts.ticker());
    }

    /** Continues to {@link Protocol#run} without a body: the bytes after the head are not one. */
    public void leaveBody() {
        if (hasRoom()) {
            begin(ByteBuffer.allocate(0));
        }
    }

    /** Returns whether there is memory for the request itself; it is refused if not. */
    private boolean hasRoom() {
        boolean reserved = memory().tryReserve(sender.requestBytes());
        if (!reserved) {
            protocol.refuseBody(HttpPort.UNAVAILABLE, "The server has no memory for more requests of yours now.");
        }
        return reserved;
    }

    /** The listener of the body's reader, and the turns in which it continues. Confined: as the reader. */
    private final class Received implements BodyReader.Listener, Executor {
        @Override
        public void execute(Runnable more) {
            turns().execute(more);
        }

        @Override
        public void complete(ByteBuffer body, long reservedBytes) {
            memory().adopt(reservedBytes);
            if (isHeavy(body)) {
                heavy().execute(() -> begin(body));
            } else {
                begin(body);
            }
        }

        @Override
        public void refused(int status, String sentence, long reservedBytes) {
            memory().adopt(reservedBytes);
            protocol.refuseBody(status, sentence);
        }

        @Override
        public void timedOut(long reservedBytes) {
            memory().adopt(reservedBytes);
            if (SelectorConnector.isStopping(request)) {
                protocol.refuseBody(HttpPort.UNAVAILABLE, "The body did not come in time, and the server is stopping.");
            } else {
                protocol.refuseBody(HttpPort.TOO_SLOW, "The body comes too slowly.");
            }
        }

        @Override
        public void failed(Throwable cause, long reservedBytes) {
            memory().adopt(reservedBytes);
            disconnected(cause);
        }

        @Override
        public void threw(Throwable cause, long reservedBytes) {
            memory().adopt(reservedBytes);
            giveUp(cause);
        }
    }

    /** Returns the trace that the request belongs to, by its headers and by an agent's span; null if there is none. */
    public @Nullable Trace trace() {
        if (!Tracing.isWanted()) {
            return null;
        }
        List<String> sent = request.getHeaders().getValuesList(TraceParent.NAME);
        return Trace.of(sent.size() == 1 ? sent.get(0) : null); // several are none
    }

    private void begin(ByteBuffer body) {
        begun = true;
        OperationMetrics.@Nullable Mark mark = OperationMetrics.mark(request.getHeadersNanoTime());
        Trace trace = trace();
        Trace.@Nullable Entered entered = trace == null ? null : trace.enter();
        try {
            CompletionStage<A> stage = runInTurn(body);
            seenCpuNanos = OperationMetrics.cpuSince(mark);
            var unused = stage.whenComplete((answer, thrown) -> {
                if (thrown == null) {
                    finish(answer);
                } else {
                    finishFailed(thrown);
                }
            });
        } catch (AuthenticationException | BadRequestException | RuntimeException | Error e) {
            finishFailed(e);
        } finally {
            if (entered != null) {
                entered.leave();
            }
        }
    }

    /**
     * Runs the request. On a selector, work that can be done for many requests together is left to the end of the
     * iteration.
     */
    private CompletionStage<A> runInTurn(ByteBuffer body) throws AuthenticationException, BadRequestException {
        Executor turn = continuation();
        if (turn == null || isHeavy(body)) {
            return protocol.run(body);
        }
        EventLoopIteration.begin(turn);
        try {
            return protocol.run(body);
        } finally {
            EventLoopIteration.leave();
        }
    }

    private void finish(A answer) {
        try {
            protocol.answer(answer);
        } catch (RuntimeException | Error e) {
            giveUp(e);
        }
    }

    private void finishFailed(Throwable cause) {
        try {
            protocol.fail(cause);
        } catch (RuntimeException | Error e) {
            giveUp(e);
        }
    }

    /**
     * Ends a request after an exception that no one can answer any more: with a 500 if no byte of an answer has been
     * written, with its connection otherwise. Does nothing to a request that has ended.
     */
    public void giveUp(Throwable cause) {
        try {
            LOG.atError()
                    .addKeyValue("request", SignedHeaders.client(request).requestId())
                    .addKeyValue("path", request.getHttpURI().getPath())
                    .setCause(cause)
                    .log("request abandoned");
            ended.set(true);
            sender.closeMemory();
            parts.metrics().lost();
        } finally {
            callback.failed(new ReportedException(cause));
        }
    }

    /** A failure that has been logged. Immutable. */
    private static final class ReportedException extends RuntimeException implements QuietException {
        ReportedException(Throwable cause) {
            super("the exchange failed", cause, false, false);
        }
    }

    /**
     * Reads and discards the rest of the body, so that the client receives the refusal. The request counts as any other
     * during this time. If there is no memory for it, it takes one of a limited number of places. If those are taken
     * too, only the available bytes are read.
     *
     * @param refuse receives whether the body has ended, within the limit of bodies and not too slowly
     */
    public void discardBody(Consumer<Boolean> refuse) {
        memory().releaseAll();
        boolean counted = memory().tryReserve(sender.requestBytes());
        new BodyDiscard(
                        request,
                        parts.config().maxBodyBytes(),
                        paceFrom(parts.ticker().nanos()),
                        counted ? null : SelectorConnector.uncountedDiscardsOf(request),
                        callbacks(more -> turns().execute(more)),
                        new BodyDiscard.Outcome(refuse, this::disconnected, this::giveUp))
                .run();
    }

    /**
     * Ends the exchange for the first caller, which completes the callback; empty if the exchange has already ended.
     */
    public Optional<Callback> tryEnd() {
        return isFirstEnd() ? Optional.of(callback) : Optional.empty();
    }

    private boolean isFirstEnd() {
        return ended.compareAndSet(false, true);
    }

    /**
     * Returns the callback of a stream, which begins with {@link #tryEnd}: it releases the memory, and counts a
     * failure, but no duration, which says nothing about the server.
     */
    public Callback streamCallback() {
        return Callback.from(
                parts.invocation(),
                () -> {
                    sender.closeMemory();
                    callback.succeeded();
                },
                cause -> {
                    sender.closeMemory();
                    try {
                        parts.metrics().lost();
                    } finally {
                        callback.failed(cause);
                    }
                });
    }

    /**
     * Writes an answer, unless the request has ended already.
     *
     * @param delivery learns whether it was written
     * @param head sets status and headers, just before the first byte
     */
    public void write(Body body, Delivery delivery, Operation operation, Runnable head) {
        AnswerEnd end = new AnswerEnd(parts, request, sender, callback, delivery, operation);
        try {
            if (!reserveAnswer(AnswerWriter.memory(body), operation)) {
                end.deliver(false);
                protocol.refuseAnswer();
            } else if (isFirstEnd()) {
                end.markBegun(seenCpuNanos);
                head.run();
                if (begun) {
                    write(body, end);
                } else {
                    RefusedStreams.answer(request, end, taken -> write(body, taken));
                }
            } else {
                sender.closeMemory();
                end.deliver(false);
            }
        } catch (RuntimeException | Error e) {
            end.deliver(false);
            throw e;
        }
    }

    private void write(Body body, Callback end) {
        if (body instanceof Bytes bytes && bytes.isNothing()) {
            response.write(true, null, end);
        } else {
            AnswerWriter.write(response, body, heavy(), lentBuffers(), end);
        }
    }

    /**
     * Answers count until their client has read them. A stored put always gets its answer, which is as large as the
     * number of its messages allows: otherwise its client would put again.
     */
    private boolean reserveAnswer(long length, Operation operation) {
        if (length < SMALL_ANSWER_BYTES) {
            return true;
        }
        if (operation == Operation.GET || (operation == Operation.OTHER && length >= LARGE_ANSWER_BYTES)) {
            return memory().trySettleAnswer(length);
        }
        memory().take(length);
        return true;
    }

    /** Ends a request whose connection has failed before its body was there. */
    private void disconnected(Throwable cause) {
        if (isFirstEnd()) {
            sender.closeMemory();
            parts.metrics().lost();
            request.setAttribute(HttpPort.NOT_BEGUN, true);
            callback.failed(cause);
        }
    }
}
