// SPDX-License-Identifier: Apache-2.0
package org.talos.server.frontend;

import java.time.Duration;
import org.talos.server.auth.Authentication;
import org.talos.server.config.HttpLimits;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.RequestMetrics;
import org.talos.server.runtime.time.Clocks;
import org.talos.server.service.Operations;
import org.talos.server.service.call.CallHandler;

/**
 * Everything that a server gives to a front end. Immutable.
 *
 * @param operations all that clients may ask for; checks rights and quotas
 * @param calls the same operations for calls in the form of Thrift
 * @param authentication finds the sender of a request
 * @param settings the front end's own section of the configuration
 */
public record FrontEndContext(
        Operations operations,
        CallHandler calls,
        Authentication authentication,
        Bounds bounds,
        Meters meters,
        Clocks clocks,
        FrontEndSettings settings) {
    /**
     * The limits of clients' use of the server. Immutable.
     *
     * @param memory reserved before anything is allocated that a client can make large
     * @param limits of connections, streams, and waiting requests
     * @param grace the time for requests in flight when the server stops
     */
    public record Bounds(MemoryBudget memory, HttpLimits limits, Duration grace) {}

    /**
     * Where a front end counts. Immutable.
     *
     * @param registry for metrics of its own
     * @param requests the metrics that all front ends share
     */
    public record Meters(Metrics registry, RequestMetrics requests) {}

    /** Returns this context for the front end with other settings. */
    public FrontEndContext with(FrontEndSettings other) {
        return new FrontEndContext(operations, calls, authentication, bounds, meters, clocks, other);
    }
}
