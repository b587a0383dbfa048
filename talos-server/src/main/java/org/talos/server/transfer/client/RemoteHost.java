// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.runtime.MemoryBudget;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.wire.Answer;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.Request;
import org.talos.thrift.ErrorCode;

/**
 * Requests to one other server. Each takes a thread and a connection for as long as it lasts; reads that wait for
 * messages only until they are written.
 *
 * <p>Thread-safe.
 */
final class RemoteHost implements PartitionRequests, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteHost.class);
    private static final String UNREACHABLE = "the partition's server can't be reached";
    private static final long UNANSWERED_NANOS = 5_000_000_000L; // a repetition would be there by then

    private final Parts parts;
    private final ThreadPoolExecutor threads;
    private final Breaker breaker;
    private final ClientPool clients;
    private final WaitingReads waitingReads;
    private final TransferMetrics.Host metrics;

    /**
     * What all hosts share. Immutable.
     *
     * @param maxFrameBytes largest request
     * @param mostWaitingReads of one host
     */
    record Parts(int maxFrameBytes, int mostWaitingReads, MemoryBudget memory, TimerWheel timers, Ticker ticker) {}

    RemoteHost(
            String server,
            Parts parts,
            ThreadPoolExecutor threads,
            int mostClients,
            ClientPool.Connector connector,
            TransferMetrics.Host metrics) {
        this.parts = parts;
        this.threads = threads;
        this.metrics = metrics;
        breaker = new Breaker(parts.ticker);
        clients = new ClientPool(server, mostClients, breaker, connector);
        waitingReads = new WaitingReads(
                clients,
                parts.mostWaitingReads,
                parts.memory,
                parts.ticker,
                new NamedThreads("transfer-waiting-" + server));
    }

    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext hop) {
        Sent sent = new Sent();
        return ask(new PendingRequest<>(Request.put(id, put), hop), sent)
                .whenComplete((offset, error) -> {
                    if (error instanceof TalosException failure && failure.effect() == Effect.UNKNOWN) {
                        sent.tellUnanswered(hop);
                    }
                })
                .thenApply(offset -> new AppendResult(offset, () -> sent.tellUnanswered(hop)));
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext hop) {
        return ask(new PendingRequest<>(Request.read(id, read), hop), null);
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext hop) {
        return ask(new PendingRequest<>(Request.bounds(ids), hop), null);
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext hop) {
        return ask(new PendingRequest<>(Request.offsetAtTime(id, timeMillis), hop), null);
    }

    private <R> CompletionStage<R> ask(PendingRequest<R> exchange, @Nullable Sent sent) {
        metrics.asked();
        long begin = parts.ticker.nanos();
        var counted =
                exchange.answer().whenComplete((result, error) -> metrics.ended(parts.ticker.nanos() - begin, error));
        if (breaker.isPausing() && !clients.hasIdle()) {
            exchange.failed(ErrorCode.PARTITION_NOT_SERVING, UNREACHABLE);
            return counted;
        }
        Runnable work = () -> work(exchange, sent);
        exchange.onAbandoned(() -> threads.remove(work)); // it need not be in the way of those behind it
        TimerWheel.Timeout timeout = parts.timers.schedule(exchange.hop().deadlineNanos(), exchange::expired);
        var unused = exchange.answer().whenComplete((result, error) -> timeout.cancel());
        try {
            threads.execute(work);
        } catch (RejectedExecutionException e) {
            if (threads.isShutdown()) {
                exchange.failed(ErrorCode.PARTITION_NOT_SERVING, "the server stops");
            } else {
                exchange.failed(
                        ErrorCode.EXCESSIVE_PENDING_MESSAGE, "too many requests wait for the partition's server");
            }
        }
        return counted;
    }

    private void work(PendingRequest<?> exchange, @Nullable Sent sent) {
        if (exchange.isOver()) {
            return;
        }
        if (remaining(exchange) <= 0) {
            exchange.expired();
            return;
        }
        metrics.began();
        try {
            if (exchange.request().waits()) {
                waitingReads.send(exchange);
            } else {
                sendAndWait(exchange, sent);
            }
        } catch (IOException | TException e) {
            LOG.debug("request to another server failed", e); // the client is told, and the breaker tells the operator
            exchange.failed(ErrorCode.PARTITION_NOT_SERVING, "the connection to the partition's server failed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            exchange.failed(ErrorCode.PARTITION_NOT_SERVING, "the server stops");
        } finally {
            metrics.worked();
        }
    }

    private void sendAndWait(PendingRequest<?> exchange, @Nullable Sent sent)
            throws IOException, TException, InterruptedException {
        Client client = clients.take(remaining(exchange));
        boolean whole = false; // nothing of a request or an answer is left in the connection
        try {
            long id = client.nextId();
            List<ByteBuffer> message =
                    exchange.request().message(id, exchange.hop().caller(), remaining(exchange));
            if (tooLarge(message)) {
                exchange.failed(ErrorCode.REQUEST_TOO_LARGE, "larger than servers pass on (transfer.maxFrameBytes)");
                whole = true;
                return;
            }
            exchange.onAbandoned(client::close);
            if (!exchange.beginWriting()) {
                return;
            }
            if (sent != null) {
                sent.as(client.connectionId(), id);
            }
            client.send(id, message);
            Frame frame = client.receive();
            try {
                if (frame.id() != id) {
                    throw new IOException("answer of another request");
                }
                whole = end(exchange, frame); // else it is abandoned, and its connection about to be closed
            } finally {
                parts.memory.release(Client.reserved(frame.bytes()));
            }
        } finally {
            if (whole) {
                clients.back(client);
            } else {
                clients.drop(client);
            }
        }
    }

    private boolean tooLarge(List<ByteBuffer> message) {
        return message.stream().mapToLong(ByteBuffer::remaining).sum() > parts.maxFrameBytes;
    }

    private long remaining(PendingRequest<?> exchange) {
        return exchange.hop().deadlineNanos() - parts.ticker.nanos();
    }

    /**
     * Ends an exchange as its answer says; false if it had ended before.
     *
     * @throws IOException the answer makes no sense
     */
    static <R> boolean end(PendingRequest<R> exchange, Frame frame) throws IOException {
        try {
            return exchange.answered(Answer.read(exchange.request(), frame));
        } catch (TalosException e) {
            return exchange.answered(e);
        } catch (TException | IllegalArgumentException e) {
            throw new IOException("answer that can't be read", e);
        }
    }

    /** Ends idle connections that the other server has left. Does not block. */
    void sweep() {
        clients.sweep();
    }

    /** Requests fail from now on, those on their way too. */
    @Override
    public void close() {
        clients.close();
        waitingReads.close();
    }

    /** Where a put went, if it did. Thread-safe. */
    private final class Sent {
        private volatile @Nullable ByteBuffer connectionId;
        private volatile long requestId;

        void as(ByteBuffer connection, long request) {
            requestId = request;
            connectionId = connection;
        }

        /** The client was not told of its put: the server that has it, or may have it, should know. */
        void tellUnanswered(ForwardContext hop) {
            ByteBuffer connection = connectionId;
            if (connection != null) {
                ForwardContext soon = new ForwardContext(hop.caller(), parts.ticker.nanos() + UNANSWERED_NANOS);
                var unused = ask(new PendingRequest<>(Request.unanswered(connection, requestId), soon), null)
                        .whenComplete((told, error) -> {
                            if (error != null) {
                                LOG.debug("a put's server does not know that its client was not told", error);
                            }
                        });
            }
        }
    }
}
