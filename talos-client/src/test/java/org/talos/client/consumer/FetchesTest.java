// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ClientConfig;
import org.talos.client.FatalException;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClient;
import org.talos.client.transport.PartitionRef;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;

@Timeout(30)
class FetchesTest {
    private static final ConsumerConfig CONFIG =
            ConsumerConfig.builder().maxFetchBytes(600).build();

    private final Semaphore memory = new Semaphore(1_000);
    private final AtomicInteger answers = new AtomicInteger();
    private ScriptedServer server;
    private TalosClient client;

    @BeforeEach
    void start() throws Exception {
        server = new ScriptedServer();
        server.otherwise(result(new GetMessageResponse(List.of(), 0, "x")));
        client = new TalosClient(
                ClientConfig.of(server.uri(), "AKTEST", "a-secret").withoutDirectRouting());
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private Fetches fetches(int partition) {
        return new Fetches(
                client.calls(),
                new PartitionRef("orders", "me#orders#1", partition),
                CONFIG,
                memory,
                answers::incrementAndGet);
    }

    private List<Long> asked() {
        return server.asked().stream()
                .map(each -> each.request(new GetMessageRequest()).getMessageOffset())
                .toList();
    }

    @Test
    void memoryIsHeldFromTheFetchAheadUntilItsMessagesAreTaken() throws Exception {
        Fetches first = fetches(0);
        Fetches second = fetches(1);

        first.beginAhead(5);
        second.beginAhead(7); // no memory is left for it

        assertThat(memory.availablePermits()).isEqualTo(400);
        await().until(() -> answers.get() == 1);
        first.begin(5);
        assertThat(first.isAwaited()).isFalse();
        assertThat(first.take()).isEmpty();
        assertThat(memory.availablePermits()).isEqualTo(1_000);
        assertThat(asked()).containsExactly(5L);
    }

    @Test
    void fetchThatIsWantedNeedsNoneOfThatMemory() throws Exception {
        Fetches fetches = fetches(0);
        memory.drainPermits();

        fetches.begin(5);

        await().until(() -> !fetches.isAwaited());
        assertThat(fetches.take()).isEmpty();
        assertThat(memory.availablePermits()).isZero();
    }

    @Test
    void fetchAheadOfAnotherOffsetIsForgotten() throws Exception {
        Fetches fetches = fetches(0);
        fetches.beginAhead(5);

        fetches.begin(9);

        await().until(() -> !fetches.isAwaited());
        assertThat(fetches.take()).isEmpty();
        assertThat(memory.availablePermits()).isEqualTo(1_000);
        await().until(() -> List.copyOf(asked()).containsAll(List.of(5L, 9L)));
    }

    @Test
    void memoryIsBackAfterAFailureAndAfterTheEnd() {
        server.otherwise(error(ErrorCode.PERMISSION_DENIED_ERROR, "not yours"));
        Fetches fetches = fetches(0);
        fetches.beginAhead(5);
        await().until(() -> !fetches.isAwaited());
        assertThatThrownBy(fetches::take).isInstanceOf(FatalException.class);
        assertThat(memory.availablePermits()).isEqualTo(1_000);

        fetches.beginAhead(5);
        fetches.close();
        assertThat(memory.availablePermits()).isEqualTo(1_000);
    }
}
