// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;
import java.util.function.LongSupplier;

/** The metrics of the front end. Thread-safe. */
public final class RequestMetrics {
    private final Metrics metrics;
    private final OperationMetrics operations;
    private final Histogram authentication;
    private final Histogram answer;
    private final Counter refused;
    private final Counter lost;
    private final Counter failedByServer;
    private final Counter failedByClient;

    /** Registers the metrics. */
    public RequestMetrics(Metrics metrics) {
        this.metrics = metrics;
        operations = new OperationMetrics(metrics);
        authentication = metrics.histogram(
                "talos_http_authentication_seconds", "", Unit.SECONDS, "Checking a request's signature and body.");
        answer = metrics.histogram(
                "talos_http_answer_seconds", "", Unit.SECONDS, "From a request's headers to the end of its answer.");
        refused = metrics.counter("talos_http_refused_total", "", "Requests answered with a failure by the front end.");
        lost = metrics.counter("talos_http_lost_answers_total", "", "Answers whose connection was closed.");
        String help = "Failures in answers to SDKs and REST: of the server, or of the client's request.";
        failedByServer = metrics.counter("talos_answered_failures_total", "of=\"server\"", help);
        failedByClient = metrics.counter("talos_answered_failures_total", "of=\"client\"", help);
    }

    /**
     * Counts a failure that a client was answered, by whatever protocol.
     *
     * @param byServer whether the server or a store has failed, or was busy; otherwise the request was wrong, not
     *     allowed, or beyond a quota
     */
    public void failed(boolean byServer) {
        (byServer ? failedByServer : failedByClient).inc();
    }

    /** Returns the number of failures by the server so far. */
    public long failedByServer() {
        return failedByServer.getCount();
    }

    /** Returns the number of failures by clients so far. */
    public long failedByClient() {
        return failedByClient.getCount();
    }

    /** Registers the gauges: of accounted memory, and of requests without an end. */
    public void watch(LongSupplier memoryBytes, LongSupplier openStreams, LongSupplier certificateEnd) {
        metrics.gauge(
                "talos_http_open_streams", "", "Streams, event streams and puts of lines that are open.", openStreams);
        metrics.gauge("talos_certificate_end_seconds", "of=\"clients\"", Metrics.CERTIFICATE_END, certificateEnd);
        metrics.gauge("talos_http_request_memory_bytes", "", "Accounted memory of requests in flight.", memoryBytes);
    }

    /** Records the check of a request's signature and body. */
    public void authenticated(long nanos) {
        authentication.update(nanos);
    }

    /** The metrics by operation. */
    public OperationMetrics operations() {
        return operations;
    }

    /**
     * Records a written answer.
     *
     * @param nanos since the request's arrival
     * @param measuredCpuNanos processor time of its threads, or {@link OperationMetrics#NOT_SEEN}
     */
    public void answered(Operation operation, long nanos, long measuredCpuNanos) {
        answer.update(nanos);
        operations.answered(operation, nanos, measuredCpuNanos);
    }

    /** Counts a request answered with a status other than 200. */
    public void refused() {
        refused.inc();
    }

    /** Counts an answer whose connection was closed. */
    public void lost() {
        lost.inc();
    }
}
