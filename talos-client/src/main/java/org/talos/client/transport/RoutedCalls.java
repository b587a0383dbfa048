// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Exceptions;
import org.talos.thrift.GetScheduleInfoRequest;
import org.talos.thrift.GetScheduleInfoResponse;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Makes calls: at the server of the partition if it is known, at an endpoint otherwise, and again after a failure if
 * the outcome allows it, until the deadline.
 *
 * <p>Thread-safe.
 */
public final class RoutedCalls {
    /** A try that has less time than this is not worth making. */
    public static final long LEAST_NANOS = Duration.ofMillis(100).toNanos();

    private final ServerCalls servers;
    private final Endpoints endpoints;
    private final RetryPolicy retries;
    private final LongSupplier nanos;
    private final Duration timeout;
    private final CallListener listener;
    private final Optional<Routes> routes;

    /** Is notified of every try and every repetition of calls. Its methods are short and do not throw. */
    public interface CallListener {
        /** Notes that one try of a call has ended. */
        void tried(String method, URI server, Duration took, @Nullable CallFailure failure);

        /** Notes that a call will be repeated. */
        void repeating(String method, CallFailure failure, Duration pause);
    }

    /**
     * Creates the calls of one client.
     *
     * @param timeout of one try
     * @param direct whether partitions' servers are called directly
     */
    public RoutedCalls(
            ServerCalls servers,
            Endpoints endpoints,
            RetryPolicy retries,
            LongSupplier nanos,
            Duration timeout,
            boolean direct,
            CallListener listener) {
        this.servers = servers;
        this.endpoints = endpoints;
        this.retries = retries;
        this.nanos = nanos;
        this.timeout = timeout;
        this.listener = listener;
        routes = direct ? Optional.of(new Routes(this::schedule, nanos)) : Optional.empty();
    }

    /** Ends the calls under way, and refuses all later ones. */
    public void close() {
        servers.close();
    }

    /** Returns the caller's clock, ms since 1970. */
    public long nowMillis() {
        return servers.nowMillis();
    }

    /**
     * Makes a call.
     *
     * @param within time for retries; the first try has its full time in any case
     * @return its result, or a {@link CallFailure}: the last, or one that leaves the effect open if any try did
     */
    public <R extends TBase<?, ?>> CompletableFuture<@Nullable R> call(RemoteCall<R> call, Duration within) {
        return call(call, within, timeout, timeout);
    }

    /**
     * Makes a call whose answer is useless after some time, so that even its first try ends by then.
     *
     * @param within time for the call with its retries; at least a tenth of a second
     * @param each time for one try, if that is shorter than the configured timeout
     * @return its result, or a {@link CallFailure}: the last, or one that leaves the effect open if any try did
     */
    public <R extends TBase<?, ?>> CompletableFuture<@Nullable R> call(
            RemoteCall<R> call, Duration within, Duration each) {
        Duration one = shorter(timeout, each);
        Duration first = shorter(one, within);
        return call(call, within, first.toNanos() < LEAST_NANOS ? Duration.ofNanos(LEAST_NANOS) : first, one);
    }

    private <R extends TBase<?, ?>> CompletableFuture<@Nullable R> call(
            RemoteCall<R> call, Duration within, Duration first, Duration each) {
        CompletableFuture<@Nullable R> done = new CompletableFuture<>();
        new Attempts<>(call, nanos.getAsLong() + within.toNanos(), each, done).next(first);
        return done;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private CompletableFuture<Map<Integer, URI>> schedule(String resourceName) {
        RemoteCall<GetScheduleInfoResponse> asked = RemoteCall.of(
                Service.MESSAGE,
                "getScheduleInfo",
                new GetScheduleInfoRequest(new TopicTalosResourceName(resourceName)),
                GetScheduleInfoResponse::new,
                RemoteCall.Effect.NONE);
        return call(asked, timeout).thenApply(answer -> {
            Map<Integer, URI> found = new HashMap<>();
            if (answer != null && answer.getScheduleInfo() != null) {
                answer.getScheduleInfo()
                        .forEach((partition, host) ->
                                uri(host).ifPresent(server -> found.put(partition.getPartitionId(), server)));
            }
            return found;
        });
    }

    private Optional<URI> uri(String hostAndPort) {
        URI server = URI.create(endpoints.scheme() + "://" + hostAndPort);
        return server.getHost() == null ? Optional.empty() : Optional.of(server);
    }

    /**
     * Returns the server at which to reach a partition now: its own if that is known and has not failed, else an
     * endpoint.
     */
    public URI serverOf(PartitionRef partition) {
        return routes.flatMap(known -> known.of(partition))
                .filter(endpoints::isHealthy)
                .orElseGet(endpoints::next);
    }

    /** Returns an endpoint that has not failed lately, if there is one. */
    public URI endpoint() {
        return endpoints.next();
    }

    /** Looks up in the background where the partitions of a topic are, unless that was done just now. */
    public void refresh(PartitionRef partition) {
        routes.ifPresent(known -> known.refresh(partition));
    }

    /** Notes that a stream's server has answered. */
    public void answered(URI server) {
        endpoints.answered(server);
    }

    /** Notes that a stream's server is unreachable, does not answer, or stops: others are used for a while. */
    public void unreachable(URI server) {
        endpoints.failed(server);
    }

    /** Notes that a stream's server has refused a request about a partition. */
    public void refused(PartitionRef partition, URI server, CallFailure failure) {
        endpoints.answered(server);
        if (failure.isNotServing()) {
            endpoints.skip(server);
            routes.ifPresent(known -> known.forget(partition));
        }
    }

    /** Reports the end of a try on a stream, like that of a call. */
    public void tried(String method, URI server, Duration took, @Nullable CallFailure failure) {
        if (failure == null) {
            retries.succeeded();
        }
        listener.tried(method, server, took, failure);
    }

    /**
     * The pause before something is sent again on a stream.
     *
     * @param tries so far
     */
    public Duration pause(String method, CallFailure failure, int tries) {
        Duration pause = retries.pause(tries);
        listener.repeating(method, failure, pause);
        return pause;
    }

    /** Returns the headers that sign a GET without a body. */
    public Map<String, String> signedGet(URI server, String path, String query) {
        return servers.signedGet(server, path, query);
    }

    /** Learns the clock difference of a server from its refusal; returns false if the refusal does not have it. */
    public boolean learnClock(URI server, Map<String, String> headers) {
        return servers.learnClock(server, headers);
    }

    /** The tries of one call. Confined: each is made when the one before has ended. */
    private final class Attempts<R extends TBase<?, ?>> {
        private final RemoteCall<R> call;
        private final long deadlineNanos;
        private final Duration each;
        private final CompletableFuture<@Nullable R> done;
        private final Set<URI> hopeless = new HashSet<>(); // servers that this call cannot reach
        private int made;
        private boolean maybeDone;

        Attempts(RemoteCall<R> call, long deadlineNanos, Duration each, CompletableFuture<@Nullable R> done) {
            this.call = call;
            this.deadlineNanos = deadlineNanos;
            this.each = each;
            this.done = done;
        }

        /**
         * Makes one try.
         *
         * @param within time for the call
         */
        void next(Duration within) {
            try {
                attempt(within);
            } catch (RuntimeException | Error e) { // a request that cannot be built: nothing else would end the call
                done.completeExceptionally(e);
            }
        }

        private void attempt(Duration within) {
            made++;
            URI server = server();
            long start = nanos.getAsLong();
            var unused = servers.call(
                            server,
                            call.service(),
                            call.method(),
                            call.request().apply(nowMillis() + within.toMillis()),
                            call.result().get(),
                            within)
                    .whenComplete((result, thrown) -> finish(server, start, result, thrown));
        }

        private URI server() {
            return call.partition().map(RoutedCalls.this::serverOf).orElseGet(endpoints::next);
        }

        private void finish(URI server, long start, @Nullable R result, @Nullable Throwable thrown) {
            try {
                Duration took = Duration.ofNanos(nanos.getAsLong() - start);
                if (thrown == null) {
                    listener.tried(call.method(), server, took, null);
                    succeeded(server, result);
                } else {
                    CallFailure failure = failure(thrown);
                    listener.tried(call.method(), server, took, failure);
                    failed(server, failure);
                }
            } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
            }
        }

        private CallFailure failure(Throwable thrown) {
            CallFailure failure = Exceptions.unwrap(thrown) instanceof CallFailure known
                    ? known
                    : new CallFailure("CLIENT", false, false, String.valueOf(thrown.getMessage()), thrown);
            return call.isRead() ? failure.withoutEffect() : failure;
        }

        private void succeeded(URI server, @Nullable R result) {
            endpoints.answered(server);
            retries.succeeded();
            if (result != null && call.transferred().test(result)) {
                call.partition().ifPresent(partition -> routes.ifPresent(known -> known.refresh(partition)));
            }
            done.complete(result);
        }

        private void failed(URI server, CallFailure failure) {
            if (failure.isClosed()) {
                maybeDone |= !failure.surelyNotDone();
                end(failure);
                return;
            }
            if (failure.isConnection()) {
                endpoints.failed(server);
                call.partition().ifPresent(partition -> routes.ifPresent(known -> known.refresh(partition)));
            } else {
                endpoints.answered(server);
                if (failure.isNotServing()) {
                    endpoints.skip(server);
                    call.partition().ifPresent(partition -> routes.ifPresent(known -> known.forget(partition)));
                }
            }
            maybeDone |= !failure.surelyNotDone();
            boolean mayRepeat = failure.surelyNotDone() || call.isRepeatable();
            if (!mayRepeat || !(failure.retriable() || hasAnother(server, failure))) {
                end(failure);
                return;
            }
            Duration pause = retries.pause(made);
            if (pause.compareTo(failure.retryAfter()) < 0) {
                pause = failure.retryAfter();
            }
            if (nanos.getAsLong() + pause.toNanos() + LEAST_NANOS - deadlineNanos >= 0) {
                end(failure);
                return;
            }
            listener.repeating(call.method(), failure, pause);
            servers.after(pause, () -> again(failure));
        }

        /** Returns whether another server can be called in place of one that cannot be reached, now or later. */
        private boolean hasAnother(URI server, CallFailure failure) {
            if (!failure.isConnection()) {
                return false;
            }
            hopeless.add(server);
            return !hopeless.contains(server());
        }

        /**
         * Makes the next try; fails if too little time is left, as the pause of a busy or sleeping machine is longer.
         */
        private void again(CallFailure failure) {
            long left = deadlineNanos - nanos.getAsLong();
            if (left < LEAST_NANOS) {
                end(failure);
            } else {
                next(shorter(Duration.ofNanos(left), each));
            }
        }

        /**
         * Fails the call: with unknown effect if any of its tries may have happened, even if the last one was refused.
         */
        private void end(CallFailure failure) {
            done.completeExceptionally(maybeDone && failure.surelyNotDone() ? failure.withUnknownEffect() : failure);
        }
    }
}
