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
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.Endpoints;
import org.talos.client.transport.RetryPolicy;
import org.talos.client.transport.RoutedCalls;
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

    private final ClientCalls calls;

    /** A client of the servers that a configuration names; nothing is sent yet. */
    public TalosClient(ClientConfig config) {
        this(config, ClientTime.wallClock(), ClientTime.nanos());
    }

    /** A client of one server, with defaults. */
    public TalosClient(TalosEndpoint endpoint) {
        this(ClientConfig.of(endpoint));
    }

    /** A client of one server that makes each call once. */
    public static TalosClient once(TalosEndpoint endpoint) {
        return new TalosClient(ClientConfig.of(endpoint).withDeadline(Duration.ZERO));
    }

    TalosClient(ClientConfig config, InstantSource clock, LongSupplier nanos) {
        RoutedCalls routed = new RoutedCalls(
                new SignedCalls(new Credential(config.accessKey(), config.secretKey()), clock, config.tls()),
                new Endpoints(config.endpoints(), nanos),
                new RetryPolicy(FIRST_PAUSE, LONGEST_PAUSE, new SplittableRandom(new SecureRandom().nextLong())),
                nanos,
                config.timeout(),
                config.directRouting(),
                new Told(config.listener()));
        calls = new ClientCalls(routed, nanos, config.deadline());
    }

    /** Passes on what calls do. Immutable. */
    private record Told(ClientListener listener) implements RoutedCalls.CallListener {
        @Override
        public void tried(String method, URI server, Duration took, @Nullable CallFailure failure) {
            listener.called(method, server, took, Optional.ofNullable(failure).map(Failures::of));
        }

        @Override
        public void repeating(String method, CallFailure failure, Duration pause) {
            listener.repeating(method, Failures.of(failure), pause);
        }
    }

    /** How the SDK's own classes make calls; programs use those classes. */
    public ClientCalls calls() {
        return calls;
    }
}
