// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.client.ScriptedServer.done;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.ProxySelector;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.talos.client.ScriptedServer;
import org.talos.common.auth.Credential;
import org.talos.thrift.DeleteTopicRequest;
import org.talos.thrift.TopicTalosResourceName;

/** Which connections calls have, and what becomes of those. */
@Timeout(30)
@Isolated // the proxy is the whole JVM's
class ConnectionsTest {
    private final @Nullable ProxySelector before = ProxySelector.getDefault();
    private final SignedCalls calls = new SignedCalls(
            new Credential("AKTEST0000000000TEST", "a-secret"), InstantSource.system(), Optional.empty());

    @AfterEach
    void stop() {
        ProxySelector.setDefault(before);
        calls.close();
    }

    private CompletableFuture<?> delete(URI server) {
        var request = new DeleteTopicRequest(new TopicTalosResourceName("me#orders#1"));
        return calls.call(server, Service.TOPIC, "deleteTopic", request, null, Duration.ofSeconds(20));
    }

    @Test
    void proxyOfTheProgramIsUsed() throws Exception {
        try (ScriptedServer proxy = new ScriptedServer()) {
            proxy.then(done());
            ProxySelector.setDefault(new OneProxy(proxy.uri()));

            delete(URI.create("http://talos.invalid:99")).get(10, TimeUnit.SECONDS);

            assertThat(proxy.asked().get(0).header("Host")).isEqualTo("talos.invalid:99");
        }
    }

    /** A consumer has a connection that waits for each of its partitions. */
    @Test
    void connectionsThatWaitTakeHardlyAnyMemoryOutsideOfTheHeap() throws Exception {
        int count = 100;
        CountDownLatch asked = new CountDownLatch(count);
        try (RawServer server = new RawServer(wire -> {
            wire.request();
            asked.countDown();
            assertThat(wire.awaitClose()).isTrue();
        })) {
            long before = bytesOutsideOfTheHeap();
            for (int i = 0; i < count; i++) {
                var unused = delete(server.uri());
            }
            asked.await();

            assertThat(bytesOutsideOfTheHeap() - before).isLessThan(4 << 20);
        }
    }

    private static long bytesOutsideOfTheHeap() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    @Test
    void closingEndsTheCallsUnderWayWithTheirConnections() throws Exception {
        int count = 5;
        CountDownLatch asked = new CountDownLatch(count);
        try (RawServer server = new RawServer(wire -> {
            wire.request();
            asked.countDown();
            assertThat(wire.read()).isEqualTo(-1);
        })) {
            List<CompletableFuture<?>> underWay = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                underWay.add(delete(server.uri()));
            }
            asked.await();

            calls.close();

            for (CompletableFuture<?> each : underWay) {
                assertThatThrownBy(() -> each.get(10, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(CallFailure.class);
                assertThat(server.end()).isEqualTo("ended");
            }
        }
    }
}
