// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.io.IOException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.metrics.Operation;
import org.talos.server.metrics.OperationMetrics;
import org.talos.server.service.call.ServiceAnswer.Delivery;

/**
 * Ends a request whose answer has been written, or whose connection has failed: releases its memory, counts it, and
 * notifies the call's {@link Delivery} once.
 *
 * <p>Thread-safe.
 */
final class AnswerEnd implements Callback {
    private static final Logger LOG = LoggerFactory.getLogger(HttpExchange.class); // whose lines these are

    private final HttpPort.Parts parts;
    private final Request request;
    private final RequestSender sender;
    private final Callback callback;
    private final Delivery delivery;
    private final Operation operation;
    private final AtomicBoolean delivered = new AtomicBoolean();
    private long seenCpuNanos = OperationMetrics.NOT_SEEN;
    private OperationMetrics.@Nullable Mark mark; // where the writing began

    /**
     * Creates the end of an answer that has not begun.
     *
     * @param callback of the request
     * @param delivery learns whether the answer was written
     */
    AnswerEnd(
            HttpPort.Parts parts,
            Request request,
            RequestSender sender,
            Callback callback,
            Delivery delivery,
            Operation operation) {
        this.parts = parts;
        this.request = request;
        this.sender = sender;
        this.callback = callback;
        this.delivery = delivery;
        this.operation = operation;
    }

    /**
     * Marks the beginning of the writing.
     *
     * @param workCpuNanos processor time of the work, or {@link OperationMetrics#NOT_SEEN}
     */
    void markBegun(long workCpuNanos) {
        seenCpuNanos = workCpuNanos;
        mark = OperationMetrics.markAgain(workCpuNanos);
    }

    @Override
    public InvocationType getInvocationType() {
        return parts.invocation();
    }

    @Override
    public void succeeded() {
        sender.closeMemory();
        try {
            count();
        } catch (RuntimeException | Error e) {
            LOG.error("response accounting failed", e);
        }
        deliver(true);
        callback.succeeded();
    }

    private void count() {
        long writingCpuNanos = OperationMetrics.cpuSince(mark);
        parts.metrics()
                .answered(
                        operation,
                        parts.ticker().nanos() - request.getHeadersNanoTime(),
                        writingCpuNanos == OperationMetrics.NOT_SEEN
                                ? writingCpuNanos
                                : seenCpuNanos + writingCpuNanos);
    }

    @Override
    public void failed(Throwable cause) {
        sender.closeMemory();
        logUnlessLost(cause);
        deliver(false);
        try {
            parts.metrics().lost();
        } finally {
            callback.failed(cause);
        }
    }

    /** Notifies the listener once; an exception of the listener does not affect the answer. */
    void deliver(boolean written) {
        if (!delivered.compareAndSet(false, true)) {
            return;
        }
        try {
            delivery.ended(written);
        } catch (RuntimeException | Error e) {
            LOG.error("step after a response failed written={}", written, e);
        }
    }

    /**
     * Logs an answer that could not be sent, unless the connection failed. A client can cause that by allowing only
     * small heads (HTTP/2), so only requests of users count.
     */
    private void logUnlessLost(Throwable cause) {
        if (cause instanceof IOException || cause instanceof TimeoutException || !sender.isUser()) {
            return;
        }
        LOG.atWarn()
                .addKeyValue("request", SignedHeaders.client(request).requestId())
                .addKeyValue("path", request.getHttpURI().getPath())
                .addKeyValue("cause", cause)
                .log("response not sent, closing the stream or connection");
    }
}
