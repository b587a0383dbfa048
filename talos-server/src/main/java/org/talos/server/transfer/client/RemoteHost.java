// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.Failures;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;
import org.talos.server.storage.LogId;
import org.talos.server.tracing.Trace;
import org.talos.server.transfer.wire.Answer;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.Request;
import org.talos.thrift.ErrorCode;

/**
 * Requests to one other server, from a queue of their own. All go over one connection and are answered in any order,
 * and reads that wait for messages over another, so that those have a bound of their own; a thread is held until a
 * request is written. In the model that it is compared with, each request that does not wait holds a thread and a
 * connection until its answer has come.
 *
 * <p>Thread-safe.
 */
final class RemoteHost implements PartitionRequests, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteHost.class);
    private static final String UNREACHABLE = "the partition's server cannot be reached";
    private static final long REPORT_NANOS = 5_000_000_000L; // clients have repeated the put by then

    private final Shared shared;
    private final boolean multiplexes;
    private final SenderThreads threads;
    private final Breaker breaker;
    private final ConnectionPool connections;
    private final SharedRequests waitingReads;
    private final SharedRequests others;
    private final TransferMetrics.Host metrics;

    /**
     * The parts that the requests to all servers share. Immutable.
     *
     * @param maxFrameBytes largest request
     * @param mostInFlight most requests in flight to one server, and most that wait for messages there; users share
     *     each of the two
     */
    record Shared(int maxFrameBytes, int mostInFlight, MemoryBudget memory, TimerWheel timers, Ticker ticker) {}

    RemoteHost(
            String server,
            Shared shared,
            boolean multiplexes,
            SenderThreads threads,
            int mostConnections,
            ConnectionPool.Connector connector,
            TransferMetrics.Host metrics) {
        this.shared = shared;
        this.multiplexes = multiplexes;
        this.threads = threads;
        this.metrics = metrics;
        breaker = new Breaker(shared.ticker);
        connections = new ConnectionPool(server, mostConnections, breaker, connector);
        waitingReads = sharing("transfer-waiting-" + server);
        others = sharing("transfer-answers-" + server);
    }

    private SharedRequests sharing(String role) {
        return new SharedRequests(connections, shared, new NamedThreads(role));
    }

    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext context) {
        Sent sent = new Sent();
        return ask(new PendingRequest<>(Request.put(id, put, Trace.currentTraceparent()), context), sent)
                .whenComplete((offset, error) -> {
                    if (error != null && Failures.of(error).effect() == Effect.UNKNOWN) {
                        sent.reportUnanswered(context);
                    }
                })
                .thenApply(offset -> new AppendResult(offset, () -> sent.reportUnanswered(context)));
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext context) {
        return ask(new PendingRequest<>(Request.read(id, read, Trace.currentTraceparent()), context), null);
    }

    @Override
    public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext context) {
        return ask(new PendingRequest<>(Request.awaitAny(ends, waitNanos), context), null);
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext context) {
        return ask(new PendingRequest<>(Request.bounds(ids), context), null);
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext context) {
        return ask(new PendingRequest<>(Request.offsetAtTime(id, timeMillis), context), null);
    }

    private <R> CompletionStage<R> ask(PendingRequest<R> pending, @Nullable Sent sent) {
        metrics.asked();
        long begin = shared.ticker.nanos();
        var counted =
                pending.answer().whenComplete((result, error) -> metrics.ended(shared.ticker.nanos() - begin, error));
        if (breaker.isPausing() && !isConnected(pending)) {
            pending.failed(ErrorCode.PARTITION_NOT_SERVING, UNREACHABLE);
            return counted;
        }
        SenderThreads.QueuePlace place = threads.place(pending.context().caller(), () -> work(pending, sent));
        pending.onAbandoned(place::withdraw); // makes room in the queue
        TimerWheel.Timeout timeout = shared.timers.schedule(pending.context().deadlineNanos(), pending::expired);
        var unused = pending.answer().whenComplete((result, error) -> timeout.cancel());
        try {
            if (!place.take()) {
                pending.failed(ErrorCode.EXCESSIVE_PENDING_MESSAGE, SharedRequests.TOO_MANY);
            }
        } catch (RejectedExecutionException e) {
            pending.failed(ErrorCode.PARTITION_NOT_SERVING, "the server stops");
        } catch (OutOfMemoryError e) { // no further thread; for want of heap the process would end
            pending.failed(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "the server cannot start a thread for this request");
        }
        return counted;
    }

    private boolean isConnected(PendingRequest<?> pending) {
        SharedRequests sharing = sharing(pending);
        return sharing == null ? connections.hasIdle() : sharing.isConnected();
    }

    /** Returns the requests that share a connection with it; null if it has one for itself. */
    private @Nullable SharedRequests sharing(PendingRequest<?> pending) {
        if (pending.request().waits()) {
            return waitingReads;
        }
        return multiplexes ? others : null;
    }

    private void work(PendingRequest<?> pending, @Nullable Sent sent) {
        if (pending.isOver()) {
            return;
        }
        if (pending.isLate(shared.ticker.nanos())) {
            return;
        }
        metrics.began();
        try {
            SharedRequests sharing = sharing(pending);
            if (sharing == null) {
                sendAndWait(pending, sent);
            } else {
                sharing.send(pending, sent);
            }
        } catch (IOException | TException e) {
            LOG.debug("request to another server failed", e); // the client gets the error, the breaker logs a warning
            pending.failed(ErrorCode.PARTITION_NOT_SERVING, "the connection to the partition's server failed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            pending.failed(ErrorCode.PARTITION_NOT_SERVING, "the server stops");
        } finally {
            metrics.worked();
        }
    }

    private void sendAndWait(PendingRequest<?> pending, @Nullable Sent sent)
            throws IOException, TException, InterruptedException {
        ClientConnection connection = connections.take(remaining(pending));
        boolean reusable = false; // no part of a request or an answer is left in the connection
        try {
            if (pending.isLate(shared.ticker.nanos())) { // while it waited for a connection
                reusable = true;
                return;
            }
            long id = connection.nextId();
            List<ByteBuffer> message =
                    pending.request().message(id, pending.context().caller(), remaining(pending));
            if (pending.isTooLarge(message, shared.maxFrameBytes)) {
                reusable = true;
                return;
            }
            pending.onAbandoned(connection::close);
            if (!pending.beginWriting()) {
                return;
            }
            if (sent != null) {
                sent.by(connection.connectionId(), id);
            }
            connection.send(id, message);
            Frame frame = connection.receive();
            try {
                if (frame.id() != id) {
                    throw new IOException("answer of another request");
                }
                reusable = end(pending, frame); // false: it was abandoned, and its connection is about to be closed
            } finally {
                shared.memory.release(ClientConnection.reserved(frame.bytes()));
            }
        } finally {
            if (reusable) {
                connections.giveBack(connection);
            } else {
                connections.drop(connection);
            }
        }
    }

    private long remaining(PendingRequest<?> pending) {
        return pending.context().deadlineNanos() - shared.ticker.nanos();
    }

    /**
     * Ends a request with its answer; false if it had ended before.
     *
     * @throws IOException the answer cannot be read
     */
    static <R> boolean end(PendingRequest<R> pending, Frame frame) throws IOException {
        try {
            return pending.answered(Answer.read(pending.request(), frame));
        } catch (TalosException e) {
            return pending.answered(e);
        } catch (TException | IllegalArgumentException e) {
            throw new IOException("answer that cannot be read", e);
        }
    }

    /** Closes idle connections that the other server has ended. Does not block. */
    void sweep() {
        connections.sweep();
    }

    /** Requests fail from now on, also those in flight. */
    @Override
    public void close() {
        connections.close();
    }

    /** The connection and number by which a put was sent, once it was. Thread-safe. */
    final class Sent {
        private volatile @Nullable ByteBuffer connectionId;
        private volatile long requestId;

        void by(ByteBuffer connectionId, long requestId) {
            this.requestId = requestId;
            this.connectionId = connectionId; // last: it says that both are set
        }

        /** Reports to the server to which the put was sent, if it was, that its client was not answered. */
        void reportUnanswered(ForwardContext context) {
            ByteBuffer connection = connectionId;
            if (connection != null) {
                ForwardContext report = new ForwardContext(context.caller(), shared.ticker.nanos() + REPORT_NANOS);
                var unused = ask(new PendingRequest<>(Request.unanswered(connection, requestId), report), null)
                        .whenComplete((done, error) -> {
                            if (error != null) {
                                LOG.debug("notice about an unanswered put not sent to its server", error);
                            }
                        });
            }
        }
    }
}
