// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.client.transport.Endpoints;
import org.talos.client.transport.RetryPolicy;
import org.talos.client.transport.RoutedCalls;
import org.talos.client.transport.ServerCalls;
import org.talos.client.transport.Service;

/** The routes to two servers, of which either answers for all partitions; no call is made. Immutable. */
final class TwoServers {
    static final URI A = URI.create("http://a:1");
    static final URI B = URI.create("http://b:1");

    private TwoServers() {}

    static RoutedCalls routes(LongSupplier nanos, Duration timeout, RoutedCalls.CallListener listener) {
        return new RoutedCalls(
                new NoCalls(),
                new Endpoints(List.of(A, B), nanos),
                new RetryPolicy(Duration.ofMillis(100), Duration.ofSeconds(5), new SplittableRandom(1)),
                nanos,
                timeout,
                false,
                listener);
    }

    /** Of the servers' calls only the addresses are of use here. Immutable. */
    private record NoCalls() implements ServerCalls {
        @Override
        public <R extends TBase<?, ?>> CompletableFuture<@Nullable R> call(
                URI server,
                Service service,
                String method,
                @Nullable TBase<?, ?> request,
                @Nullable R result,
                Duration timeout) {
            throw new AssertionError("a call");
        }

        @Override
        public Map<String, String> signedGet(URI server, String path, String query) {
            throw new AssertionError("a stream");
        }

        @Override
        public boolean learnClock(URI server, Map<String, String> headers) {
            throw new AssertionError("a clock");
        }

        @Override
        public void after(Duration time, Runnable task) {
            throw new AssertionError("a timer");
        }

        @Override
        public long nowMillis() {
            throw new AssertionError("a time");
        }

        @Override
        public void close() {
            throw new AssertionError("an end");
        }
    }
}
