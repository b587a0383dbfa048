// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.talos.common.auth.Credential;
import org.talos.server.auth.Authentication;
import org.talos.server.auth.NewUser;
import org.talos.server.auth.SessionEnds;
import org.talos.server.auth.UserAdmin;
import org.talos.server.config.AuthConfig;
import org.talos.server.config.ConsoleConfig;
import org.talos.server.config.HttpConfig;
import org.talos.server.config.HttpLimits;
import org.talos.server.config.TlsConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.http.thrift.ThriftHandler;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.user.UserSessions;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.Operation;
import org.talos.server.metrics.RequestMetrics;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.service.call.BadRequestException;
import org.talos.server.service.call.CallHandler;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.service.call.ServiceRequest;

/**
 * A front end on a free port with one user, whose calls a test answers. The wall clock stands at {@link SignedCall#NOW}
 * unless moved. Thread-safe.
 */
final class FrontEndFixture implements AutoCloseable {
    static final String MESSAGE = "/v1/api/message";
    static final String TOPIC = "/v1/api/topic";
    static final int MAX_BODY_BYTES = 64 << 10;
    static final int MAX_CONTROL_BODY_BYTES = 4 << 10;
    static final int MEMORY_BYTES = 180 << 10;
    private static final HttpLimits LIMITS = TestConfig.of(HttpLimits.class)
            .with("connectionsPerAddress", 1_000)
            .with("acceptsPerSecond", 10_000)
            .with("failedKeysPerMinute", 1_000)
            .with("streams", 100)
            .with("streamsPerUser", 100)
            .with("waitingPerUser", 1_000)
            .create();
    /** A tenth of it is waited for idle connections. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private static final TlsConfig NO_TLS = new TlsConfig("", "");

    final MemoryBudget budget;
    final Queue<ServiceRequest> calls = new ConcurrentLinkedQueue<>();
    final Queue<Boolean> deliveries = new ConcurrentLinkedQueue<>();
    final Credential ada;
    final Credential bob;
    final HttpPort frontEnd;
    volatile Instant now = Instant.ofEpochSecond(SignedCall.NOW);
    volatile CallHandler services = request -> CompletableFuture.completedFuture(answer("done"));

    private final RocksDbMetadataStore metadata;

    FrontEndFixture(Path directory) throws Exception {
        this(directory, config());
    }

    FrontEndFixture(Path directory, HttpConfig config) throws Exception {
        this(directory, config, GRACE);
    }

    FrontEndFixture(Path directory, HttpConfig config, Duration grace) throws Exception {
        InstantSource clock = () -> now;
        metadata = RocksDbMetadataStore.open(directory.resolve("metadata"));
        UserAdmin users = UserAdmin.open(directory, metadata, clock, new SecureRandom());
        ada = users.add(new NewUser("ada", false, false, List.of(), List.of()))
                .orElseThrow()
                .credential();
        bob = users.add(new NewUser("bob", false, false, List.of(), List.of()))
                .orElseThrow()
                .credential();
        budget = new MemoryBudget(config.maxRequestMemoryBytes());
        HttpPort.Parts parts = new HttpPort.Parts(
                config,
                Authentication.of(
                        users.keys(),
                        SessionEnds.load(new UserSessions(metadata), clock),
                        clock,
                        TestConfig.of(AuthConfig.class).create(),
                        TestConfig.of(ConsoleConfig.class).create()),
                this::call,
                budget,
                new RequestMetrics(new Metrics(SystemTime.ticker())),
                SystemTime.ticker(),
                clock);
        frontEnd = new HttpPort(parts, new NoRest(), new ThriftHandler(parts), grace);
        frontEnd.start();
    }

    private CompletionStage<ServiceAnswer> call(ServiceRequest request) throws BadRequestException {
        calls.add(request);
        return services.call(request);
    }

    static HttpConfig config() {
        return config(MAX_BODY_BYTES, MEMORY_BYTES, LIMITS, NO_TLS);
    }

    private static HttpConfig config(long bodyBytes, long memoryBytes, HttpLimits limits, TlsConfig tls) {
        return config(bodyBytes, memoryBytes, Duration.ofMinutes(2), 0, 1_000, limits, tls);
    }

    private static HttpConfig config(
            long bodyBytes,
            long memoryBytes,
            Duration idle,
            long bodyRate,
            int connections,
            HttpLimits limits,
            TlsConfig tls) {
        return TestConfig.of(HttpConfig.class)
                .with("port", 0)
                .with("maxBodyBytes", bodyBytes)
                .with("maxControlBodyBytes", MAX_CONTROL_BODY_BYTES)
                .with("maxRequestMemoryBytes", memoryBytes)
                .with("workers", 16)
                .with("idleTimeout", idle)
                .with("minBodyBytesPerSecond", bodyRate)
                .with("bodyGrace", Duration.ofMillis(500))
                .with("maxConnections", connections)
                .with("limits", limits)
                .with("tls", tls)
                .create();
    }

    static HttpConfig withTls(TlsConfig tls) {
        return withTls(tls, LIMITS);
    }

    static HttpConfig withTls(TlsConfig tls, HttpLimits limits) {
        return config(MAX_BODY_BYTES, MEMORY_BYTES, limits, tls);
    }

    static HttpConfig withBounds(Duration idle, long bodyRate, int connections) {
        return config(MAX_BODY_BYTES, MEMORY_BYTES, idle, bodyRate, connections, LIMITS, NO_TLS);
    }

    static HttpConfig withLimits(HttpLimits limits) {
        return config(MAX_BODY_BYTES, MEMORY_BYTES, limits, NO_TLS);
    }

    /** With bodies of this number of bytes, and the memory of one. */
    static HttpConfig withBodies(long bytes) {
        return withBodies(bytes, bytes);
    }

    static HttpConfig withBodies(long bytes, long memoryBytes) {
        return config(bytes, memoryBytes, LIMITS, NO_TLS);
    }

    /** An answer of two buffers, whose delivery is recorded. */
    ServiceAnswer answer(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        int half = bytes.length / 2;
        return new ServiceAnswer(
                List.of(ByteBuffer.wrap(bytes, 0, half), ByteBuffer.wrap(bytes, half, bytes.length - half)),
                deliveries::add,
                Operation.OTHER);
    }

    SignedCall put(String body) {
        return SignedCall.likeGo(ada, MESSAGE, body.getBytes(UTF_8));
    }

    SignedCall put(Credential sender, String body) {
        return SignedCall.likeGo(sender, MESSAGE, body.getBytes(UTF_8));
    }

    RawConnection connect() throws Exception {
        return new RawConnection(frontEnd.port());
    }

    int port() {
        return frontEnd.port();
    }

    @Override
    public void close() {
        frontEnd.close();
        metadata.close();
    }

    /** Handles no request. Immutable. */
    private static final class NoRest extends Handler.Abstract.NonBlocking {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            return false;
        }
    }
}
