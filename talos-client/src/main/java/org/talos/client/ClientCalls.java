// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.client.stream.Streams;
import org.talos.client.transport.ClientRuntime;
import org.talos.client.transport.ClientThreads;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.RemoteCall.Effect;
import org.talos.client.transport.RoutedCalls;
import org.talos.client.transport.Service;

/**
 * Makes the calls of one client for its producers, consumers, and administration. Internal: programs use those classes.
 *
 * <p>Thread-safe.
 */
public final class ClientCalls {
    private final RoutedCalls calls;
    private final LongSupplier nanos;
    private final Duration deadline;
    private final ClientRuntime runtime;
    private final Opened opened;
    private final Optional<Streams> streams;

    /** @param streams how streams are opened; empty if the client uses calls only */
    ClientCalls(
            RoutedCalls calls,
            LongSupplier nanos,
            Duration deadline,
            ClientRuntime runtime,
            Opened opened,
            Optional<Streams> streams) {
        this.calls = calls;
        this.nanos = nanos;
        this.deadline = deadline;
        this.runtime = runtime;
        this.opened = opened;
        this.streams = streams;
    }

    /** Returns these calls with another time in which they are repeated. */
    ClientCalls within(Duration time) {
        return new ClientCalls(calls, nanos, time, runtime, opened, streams);
    }

    /**
     * Closes open producers and consumers, ends calls in progress, and refuses all later ones.
     *
     * @param within for all together; empty for the timeout of each
     */
    void close(Optional<Duration> within) {
        List<Closing> open = opened.close();
        if (open.isEmpty()) {
            end();
        } else {
            new Shutdown(open, runtime, nanos, this::end).run(within);
        }
    }

    private void end() {
        streams.ifPresent(Streams::close);
        calls.close();
    }

    /**
     * Registers the closer of a producer or consumer, which runs when the client is closed.
     *
     * @throws RetriableException the client is closed
     */
    public void opened(Closing closing) throws RetriableException {
        if (!opened.add(closing)) {
            throw closed("client");
        }
    }

    /** Forgets a closed producer or consumer. */
    public void closed(Closing closing) {
        opened.remove(closing);
    }

    /** Returns how streams are opened; empty if the client is configured for calls alone. */
    public Optional<Streams> streams() {
        return streams;
    }

    /** Returns the time in which a call is repeated, as the client is configured. */
    public Duration deadline() {
        return deadline;
    }

    /** Returns the caller's wall clock, ms since 1970. */
    public long nowMillis() {
        return calls.nowMillis();
    }

    /** Returns the monotonic clock, in nanoseconds. */
    public long nanos() {
        return nanos.getAsLong();
    }

    /** Returns where threads and waits come from. */
    public ClientRuntime runtime() {
        return runtime;
    }

    /**
     * Runs every task of a role on a daemon thread with the role's name, or on the caller's thread if the system can
     * start no thread.
     */
    public Executor executor(String role) {
        return ClientThreads.sure(runtime.pool(role));
    }

    /**
     * Makes a call in the background, within the configured deadline.
     *
     * @return the result, null if the call has none; failures go through {@link #failure}
     */
    public <R extends TBase<?, ?>> CompletableFuture<@Nullable R> send(RemoteCall<R> call) {
        return calls.call(call, deadline);
    }

    /**
     * Makes a call in the background whose answer is useless after some time.
     *
     * @param within the time in which the call ends, its first try included
     * @return the result, null if the call has none; failures go through {@link #failure}
     */
    public <R extends TBase<?, ?>> CompletableFuture<@Nullable R> send(RemoteCall<R> call, Duration within) {
        return send(call, within, within);
    }

    /**
     * Makes a call in the background whose answer is useless after some time.
     *
     * @param within the time in which the call ends
     * @param each the time of one try, if that is shorter than the configured one
     * @return the result, null if the call has none; failures go through {@link #failure}
     */
    public <R extends TBase<?, ?>> CompletableFuture<@Nullable R> send(
            RemoteCall<R> call, Duration within, Duration each) {
        return calls.call(call, within, each);
    }

    /** Makes a call and waits for it, within the configured deadline; returns null if the call has no result. */
    public <R extends TBase<?, ?>> @Nullable R await(RemoteCall<R> call) throws TalosClientException {
        return await(call, send(call));
    }

    private <R extends TBase<?, ?>> @Nullable R await(RemoteCall<R> call, Future<@Nullable R> sent)
            throws TalosClientException {
        try {
            return runtime.get(sent);
        } catch (ExecutionException e) {
            throw failure(call, e);
        } catch (InterruptedException e) {
            throw failure(call, interrupted(e));
        }
    }

    private static UnknownOutcomeException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new UnknownOutcomeException("INTERRUPTED", true, "INTERRUPTED: while a call was waited for", e);
    }

    /** Waits for the answer to a call that changes something. */
    public <T> T await(Future<T> sent) throws TalosClientException {
        try {
            return runtime.get(sent);
        } catch (ExecutionException e) {
            throw failure(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Makes a call that has a result, and waits for it within the configured deadline. */
    public <R extends TBase<?, ?>> R result(RemoteCall<R> call) throws TalosClientException {
        return result(call, send(call));
    }

    /** Waits for a call that has a result and has been sent. */
    public <R extends TBase<?, ?>> R result(RemoteCall<R> call, Future<@Nullable R> sent) throws TalosClientException {
        R answer = await(call, sent);
        if (answer == null) {
            throw failure(
                    call,
                    new UnknownOutcomeException("MALFORMED", false, "MALFORMED: an answer without a result", null));
        }
        return answer;
    }

    /**
     * Makes a call that has a result and belongs to no partition, and waits for it within the configured deadline.
     *
     * @param effect of the call
     */
    public <R extends TBase<?, ?>> R call(
            Service service, String method, @Nullable TBase<?, ?> request, R result, Effect effect)
            throws TalosClientException {
        return result(RemoteCall.of(service, method, request, () -> result, effect));
    }

    /** Returns the exception for a failed call; a call that changes nothing certainly did not take effect. */
    private static TalosClientException failure(RemoteCall<?> call, Throwable thrown) {
        return call.isRead() ? FailureMapping.ofRead(thrown) : failure(thrown);
    }

    /** Returns the client's exception for a failed call, a failed future, or an unreadable answer. */
    public static TalosClientException failure(Throwable thrown) {
        return FailureMapping.of(thrown);
    }

    /** Returns the exception for calls of a producer or consumer that has been closed. */
    public static RetriableException closed(String what) {
        return new RetriableException("CLOSED", "CLOSED: the " + what + " is closed", null);
    }
}
