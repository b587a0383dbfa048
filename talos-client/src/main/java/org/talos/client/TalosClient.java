// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.stream.Streams;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.Endpoints;
import org.talos.client.transport.MachineRuntime;
import org.talos.client.transport.RetryPolicy;
import org.talos.client.transport.RoutedCalls;
import org.talos.client.transport.SignedCalls;
import org.talos.common.auth.Credential;

/**
 * A connection to the servers under one key. Producers, consumers, and the administration share its HTTP connections,
 * threads, cached routes, and clock difference. Create one client for each key, and close it last.
 *
 * <p>Thread-safe.
 */
public final class TalosClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TalosClient.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final ClientCalls calls;

    /** Creates a client of the configured servers; nothing is sent yet. */
    public TalosClient(ClientConfig config) {
        this(config, ClientTime.wallClock(), ClientTime.nanos());
    }

    /** Creates a client of one server, with defaults. */
    public TalosClient(TalosEndpoint endpoint) {
        this(ClientConfig.of(endpoint));
    }

    TalosClient(ClientConfig config, InstantSource clock, LongSupplier nanos) {
        RoutedCalls routed = new RoutedCalls(
                new SignedCalls(
                        new Credential(config.accessKey(), config.secretKey()),
                        clock,
                        config.tls(),
                        config.proxyCredentials()),
                new Endpoints(config.endpoints(), nanos),
                new RetryPolicy(FIRST_PAUSE, LONGEST_PAUSE, new SplittableRandom(new SecureRandom().nextLong())),
                nanos,
                config.timeout(),
                config.directRouting() && !config.isBelowPath(),
                new ListenerAdapter(config.listener()));
        MachineRuntime runtime = new MachineRuntime();
        Transport transport = config.transport();
        Optional<Streams> streams = transport.streams()
                ? Optional.of(new Streams(
                        routed,
                        config.tls(),
                        config.proxyCredentials(),
                        config.timeout(),
                        transport.window(),
                        runtime,
                        nanos))
                : Optional.empty();
        calls = new ClientCalls(routed, nanos, config.deadline(), runtime, new Opened(), streams);
    }

    TalosClient(ClientCalls calls) {
        this.calls = calls;
    }

    /**
     * Returns this client with each call made once, even if it fails, for programs that decide about repetitions
     * themselves. Both clients share connections, threads, and routes: closing one closes them for both.
     */
    public TalosClient once() {
        return new TalosClient(calls.within(Duration.ZERO));
    }

    /**
     * Closes the producers and consumers that are still open, then ends calls in progress and releases connections and
     * threads. Later calls fail with code CLOSED. May be called twice.
     *
     * <p>All consumers are closed at once, and then all producers, each within its own timeout. If a processor or a
     * callback calls this, it does not wait: closing continues in the background once the caller has returned. An
     * interrupt ends only the waiting.
     */
    @Override
    public void close() {
        calls.close(Optional.empty());
    }

    /**
     * Like {@link #close()}, with one time for all instead of their own timeouts. If there are producers too, consumers
     * have half of it. Callbacks of producers have 10 s more.
     *
     * @param within longest wait; with zero it does not wait for processors and messages
     */
    public void close(Duration within) {
        calls.close(Optional.of(within.isNegative() ? Duration.ZERO : LongestWait.orShorter(within)));
    }

    /** Passes tries and repetitions on to the program's listener, whose failures are its own. Immutable. */
    private record ListenerAdapter(ClientListener listener) implements RoutedCalls.CallListener {
        @Override
        public void tried(String method, URI server, Duration took, @Nullable CallFailure failure) {
            tell(() -> listener.called(
                    method, server, took, Optional.ofNullable(failure).map(FailureMapping::of)));
        }

        @Override
        public void repeating(String method, CallFailure failure, Duration pause) {
            tell(() -> listener.repeating(method, FailureMapping.of(failure), pause));
        }

        private static void tell(Runnable event) {
            try {
                event.run();
            } catch (RuntimeException | Error e) { // Errors too: otherwise a call or a put would never end
                LOG.error("the client's listener failed", e);
            }
        }
    }

    /** Returns the calls that the SDK's own classes are built on; programs use those classes. */
    public ClientCalls calls() {
        return calls;
    }
}
