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
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.Failures;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.storage.LogId;
import org.talos.server.tracing.Trace;
import org.talos.server.transfer.wire.Request;
import org.talos.thrift.ErrorCode;

/**
 * Sends requests to one other server, from a queue of their own. Reads that wait for messages use a shared connection
 * with a bound of its own. All others use the channel of {@link RequestSenders}.
 *
 * <p>Thread-safe.
 */
final class RemoteHost implements PartitionRequests, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteHost.class);
    private static final String UNREACHABLE = "the partition's server cannot be reached";
    private static final long REPORT_NANOS = 5_000_000_000L; // by then, clients have repeated the put

    private final TransferParts parts;
    private final SenderThreads threads;
    private final Breaker breaker;
    private final ServerConnections connections;
    private final RequestChannel waitingReads;
    private final RequestChannel others;
    private final TransferMetrics.Host metrics;

    RemoteHost(
            String server,
            TransferParts parts,
            RequestSenders senders,
            ServerConnections.Connector connector,
            TransferMetrics.Host metrics) {
        this.parts = parts;
        this.metrics = metrics;
        threads = senders.threadsFor(server);
        breaker = new Breaker(parts.ticker());
        connections = new ServerConnections(server, breaker, connector);
        waitingReads = new SharedRequests(connections, parts, new NamedThreads("transfer-waiting-" + server));
        others = senders.channelTo(server, connections, parts);
    }

    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext context) {
        SentPut sent = new SentPut();
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

    @Override
    public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext context) {
        return ask(new PendingRequest<>(Request.delete(id, deletion), context), null);
    }

    private <R> CompletionStage<R> ask(PendingRequest<R> pending, RequestChannel.@Nullable Sent sent) {
        metrics.asked();
        long begin = parts.ticker().nanos();
        var counted = pending.answer()
                .whenComplete((result, error) -> metrics.ended(parts.ticker().nanos() - begin, error));
        if (breaker.isPausing() && !channel(pending).isConnected()) {
            pending.failed(ErrorCode.PARTITION_NOT_SERVING, UNREACHABLE);
            return counted;
        }
        SenderThreads.QueuePlace place = threads.place(pending.context().caller(), () -> work(pending, sent));
        pending.onAbandoned(place::withdraw); // makes room in the queue
        TimerWheel.Timeout timeout = parts.timers().schedule(pending.context().deadlineNanos(), pending::expired);
        var unused = pending.answer().whenComplete((result, error) -> timeout.cancel());
        try {
            if (!place.take()) {
                pending.failed(ErrorCode.EXCESSIVE_PENDING_MESSAGE, SharedRequests.TOO_MANY);
            }
        } catch (RejectedExecutionException e) {
            pending.failed(ErrorCode.PARTITION_NOT_SERVING, "the server stops");
        } catch (OutOfMemoryError e) { // no more threads; without heap, the process would end
            pending.failed(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "the server cannot start a thread for this request");
        }
        return counted;
    }

    private RequestChannel channel(PendingRequest<?> pending) {
        return pending.request().waits() ? waitingReads : others;
    }

    private void work(PendingRequest<?> pending, RequestChannel.@Nullable Sent sent) {
        if (pending.isOver()) {
            return;
        }
        if (pending.isLate(parts.ticker().nanos())) {
            return;
        }
        metrics.began();
        try {
            channel(pending).send(pending, sent);
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

    /** Fails all requests from now on, including those in flight. */
    @Override
    public void close() {
        connections.close();
    }

    /** The connection and number by which a put was sent, once it was. Thread-safe. */
    private final class SentPut implements RequestChannel.Sent {
        private volatile @Nullable ByteBuffer connectionId;
        private volatile long requestId;

        @Override
        public void by(ByteBuffer connectionId, long requestId) {
            this.requestId = requestId;
            this.connectionId = connectionId; // last: shows that both are set
        }

        /** Reports to the server to which the put was sent, if it was, that its client was not answered. */
        void reportUnanswered(ForwardContext context) {
            ByteBuffer connection = connectionId;
            if (connection != null) {
                ForwardContext report =
                        new ForwardContext(context.caller(), parts.ticker().nanos() + REPORT_NANOS);
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
