// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.Calls;
import org.talos.client.transport.Endpoints;
import org.talos.client.transport.Operation;
import org.talos.client.transport.RetryPolicy;
import org.talos.client.transport.Service;
import org.talos.client.transport.SignedCalls;
import org.talos.common.auth.Credential;

/**
 * What producers, consumers and the administration share: connections, routes to the partitions' servers, the caller's
 * key, the offset of the clock. Make one for each key and give it to all of them. It needs no closing: it holds
 * connections only, and those go with it.
 *
 * <p>Thread-safe.
 */
public final class TalosClient {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final ClientConfig config;
    private final Calls calls;
    private final LongSupplier nanos;

    /** A client of the servers that a configuration names; nothing is sent yet. */
    public TalosClient(ClientConfig config) {
        this(config, ClientTime.wallClock(), ClientTime.nanos());
    }

    /** A client of one server, with defaults. */
    public TalosClient(TalosEndpoint endpoint) {
        this(ClientConfig.of(endpoint));
    }

    /** A client of one server that makes each call once. */
    static TalosClient once(TalosEndpoint endpoint) {
        return new TalosClient(ClientConfig.of(endpoint).withDeadline(Duration.ZERO));
    }

    TalosClient(ClientConfig config, InstantSource clock, LongSupplier nanos) {
        this.config = config;
        this.nanos = nanos;
        calls = new Calls(
                new SignedCalls(new Credential(config.accessKey(), config.secretKey()), clock, config.tls()),
                new Endpoints(config.endpoints(), nanos),
                new RetryPolicy(FIRST_PAUSE, LONGEST_PAUSE, new SplittableRandom(new SecureRandom().nextLong())),
                nanos,
                config.timeout(),
                config.directRouting(),
                new Told(config.listener()));
    }

    /** Passes on what calls do. Immutable. */
    private record Told(ClientListener listener) implements Calls.CallListener {
        @Override
        public void tried(String method, URI server, Duration took, @Nullable CallFailure failure) {
            listener.called(method, server, took, Optional.ofNullable(failure).map(Failures::told));
        }

        @Override
        public void repeating(String method, CallFailure failure, Duration pause) {
            listener.repeating(method, Failures.told(failure), pause);
        }
    }

    ClientConfig config() {
        return config;
    }

    /** The caller's wall clock, ms since 1970. */
    long nowMillis() {
        return calls.nowMillis();
    }

    /** A monotonic clock. */
    long nanos() {
        return nanos.getAsLong();
    }

    <R extends TBase<?, ?>> CompletableFuture<@Nullable R> send(Operation<R> operation, Duration within) {
        return calls.call(operation, within);
    }

    /** Makes a call and waits, within the configured deadline. */
    <R extends TBase<?, ?>> @Nullable R await(Operation<R> operation) throws TalosClientException {
        try {
            return send(operation, config.deadline()).get();
        } catch (ExecutionException e) {
            throw Failures.told(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnknownOutcomeException("INTERRUPTED", true, "INTERRUPTED: while a call was waited for", e);
        }
    }

    /**
     * The same, of a call that has a result.
     *
     * @param repeatable whether it may be made again when it may have happened
     */
    <R extends TBase<?, ?>> R call(
            Service service, String method, @Nullable TBase<?, ?> request, R result, boolean repeatable)
            throws TalosClientException {
        return result(Operation.of(service, method, request, () -> result, repeatable));
    }

    /** Makes a call that has a result, and waits. */
    <R extends TBase<?, ?>> R result(Operation<R> operation) throws TalosClientException {
        R answer = await(operation);
        if (answer == null) {
            throw new UnknownOutcomeException("MALFORMED", false, "MALFORMED: an answer without a result", null);
        }
        return answer;
    }
}
