// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;
import java.util.function.LongSupplier;

/** What the front end measures. Thread-safe. */
public final class RequestMetrics {
    private final Metrics metrics;
    private final OperationMetrics operations;
    private final Histogram authentication;
    private final Histogram answer;
    private final Counter refused;
    private final Counter lost;

    /** The front end's metrics. */
    public RequestMetrics(Metrics metrics) {
        this.metrics = metrics;
        operations = new OperationMetrics(metrics);
        authentication = metrics.histogram(
                "talos_http_authentication_seconds", "", Unit.SECONDS, "Checking a request's signature and body.");
        answer = metrics.histogram(
                "talos_http_answer_seconds", "", Unit.SECONDS, "From a request's headers to the end of its answer.");
        refused = metrics.counter("talos_http_refused_total", "", "Requests answered with a failure by the front end.");
        lost = metrics.counter("talos_http_lost_answers_total", "", "Answers that found their connection gone.");
    }

    /** Says where the accounted memory is read. */
    public void watch(LongSupplier memoryBytes) {
        metrics.gauge("talos_http_request_memory_bytes", "", "Accounted memory of requests in flight.", memoryBytes);
    }

    /** A request's signature and body have been checked. */
    public void authenticated(long nanos) {
        authentication.update(nanos);
    }

    /** What requests cost. */
    public OperationMetrics operations() {
        return operations;
    }

    /**
     * An answer has been written, so long after its request arrived.
     *
     * @param seenCpuNanos what threads used for it, or {@link OperationMetrics#NOT_SEEN}
     */
    public void answered(Operation operation, long nanos, long seenCpuNanos) {
        answer.update(nanos);
        operations.answered(operation, nanos, seenCpuNanos);
    }

    /** A request was answered with a status other than 200. */
    public void refused() {
        refused.inc();
    }

    /** An answer could not be written: its connection was gone. */
    public void lost() {
        lost.inc();
    }
}
