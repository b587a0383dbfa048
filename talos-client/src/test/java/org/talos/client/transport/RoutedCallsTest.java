// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.client.ScriptedServer.error;

import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ScriptedServer;
import org.talos.common.auth.Credential;
import org.talos.thrift.DeleteTopicRequest;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.TopicTalosResourceName;

@Timeout(30)
class RoutedCallsTest {
    private static final Duration WITHIN = Duration.ofSeconds(20);

    private final AtomicLong nanos = new AtomicLong();

    /** The clock of a machine that sleeps just before a call is repeated. */
    private RoutedCalls calls(URI server) {
        return calls(server, WITHIN);
    }

    private RoutedCalls calls(URI server, Duration sleep) {
        return new RoutedCalls(
                new SignedCalls(
                        new Credential("AKTEST0000000000TEST", "a-secret"), InstantSource.system(), Optional.empty()),
                new Endpoints(List.of(server), nanos::get),
                new RetryPolicy(Duration.ofMillis(1), Duration.ofMillis(1), new Random(1)),
                nanos::get,
                Duration.ofSeconds(10),
                false,
                new RoutedCalls.CallListener() {
                    @Override
                    public void tried(String method, URI at, Duration took, @Nullable CallFailure failure) {}

                    @Override
                    public void repeating(String method, CallFailure failure, Duration pause) {
                        nanos.addAndGet(sleep.toNanos());
                    }
                });
    }

    @Test
    void callWhoseRepetitionIsTooLateFailsWithItsLastFailure() throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            server.then(error(ErrorCode.PARTITION_NOT_SERVING, "not now"));
            RemoteCall<?> delete = RemoteCall.without(
                    Service.TOPIC,
                    "deleteTopic",
                    new DeleteTopicRequest(new TopicTalosResourceName("me#orders#1")),
                    RemoteCall.Effect.ONCE);

            assertThatThrownBy(() -> calls(server.uri()).call(delete, WITHIN).get(10, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(CallFailure.class)
                    .hasMessageContaining("not now");
            assertThat(server.asked()).hasSize(1);
        }
    }

    /** A call that nobody ends keeps a reader, a lane of a producer or a renewal waiting forever. */
    @Test
    void callWhoseRepetitionCannotBeMadeFails() throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            server.then(error(ErrorCode.PARTITION_NOT_SERVING, "not now"));
            AtomicLong tries = new AtomicLong();
            List<String> threads = new CopyOnWriteArrayList<>();
            RemoteCall<TBase<?, ?>> call = new RemoteCall<>(
                    Service.TOPIC,
                    "deleteTopic",
                    deadline -> {
                        threads.add(Thread.currentThread().getName());
                        if (tries.incrementAndGet() > 1) {
                            throw new NoClassDefFoundError("made to fail");
                        }
                        return new DeleteTopicRequest(new TopicTalosResourceName("me#orders#1"));
                    },
                    () -> null,
                    RemoteCall.Effect.ONCE,
                    Optional.empty(),
                    answer -> false);

            assertThatThrownBy(() -> calls(server.uri(), Duration.ZERO)
                            .call(call, WITHIN)
                            .get(5, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(NoClassDefFoundError.class);
            assertThat(threads.get(1)).startsWith("talos-call-");
        }
    }
}
