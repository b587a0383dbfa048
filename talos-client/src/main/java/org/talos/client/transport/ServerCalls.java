// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls, each to one server once, and reads the answers: the seam between the client and the network. Nothing
 * blocks.
 *
 * <p>Thread-safe.
 */
public interface ServerCalls {
    /**
     * Calls a server once.
     *
     * @param request argument of the call; null if it has none
     * @param result empty result that is filled from the answer; null if the call has none
     * @param timeout of the call, answer included; an exchange that lasts longer is cancelled
     * @return completes with the result or a {@link CallFailure}, on a thread of the client
     */
    <R extends TBase<?, ?>> CompletableFuture<@Nullable R> call(
            URI server,
            Service service,
            String method,
            @Nullable TBase<?, ?> request,
            @Nullable R result,
            Duration timeout);

    /**
     * Returns the headers that sign a GET without a body, for a stream that is opened beside the calls.
     *
     * @param path decoded, without a query
     * @param query as it is sent, without {@code ?}
     */
    Map<String, String> signedGet(URI server, String path, String query);

    /**
     * Learns the clock difference of a server from its refusal; returns false if the refusal does not have it.
     *
     * @param headers of the refusal, by names in lower case
     */
    boolean learnClock(URI server, Map<String, String> headers);

    /** Runs a short task on a thread of the client after a time, even if the client has been closed. */
    void after(Duration time, Runnable task);

    /** Returns the caller's clock, ms since 1970. */
    long nowMillis();

    /** Ends the calls in progress, refuses all later ones, and releases connections and idle threads. */
    void close();
}
