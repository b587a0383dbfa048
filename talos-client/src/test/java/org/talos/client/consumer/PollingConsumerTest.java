// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.FatalException;
import org.talos.client.ScriptedServer;
import org.talos.thrift.ErrorCode;

/** Tests the polls and commits of a program in a loop. */
@Timeout(60)
class PollingConsumerTest extends MemberFixture {
    @Test
    void pollBeforeTheStartIsRefused() throws Exception {
        try (PollingConsumer consumer = builder(CONFIG).buildPolling()) {
            assertThatThrownBy(() -> consumer.poll(Duration.ofMillis(10)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("poll: the consumer is not started (expected: start() first)");
        }
    }

    @Test
    void pollAfterAStartThatFailedIsRefused() throws Exception {
        server.then(ScriptedServer.error(ErrorCode.TOPIC_NOT_EXIST, "no such topic"));
        try (PollingConsumer consumer = builder(CONFIG).buildPolling()) {
            assertThatThrownBy(consumer::start).isInstanceOf(FatalException.class);

            assertThatThrownBy(() -> consumer.poll(Duration.ofMillis(10))).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void pollOfAConsumerThatWasClosedBeforeItsStartSaysThat() throws Exception {
        PollingConsumer consumer = builder(CONFIG).buildPolling();
        consumer.close();

        assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).hasMessageContaining("CLOSED");
    }

    private static FetchedMessage poll(PollingConsumer consumer) throws Exception {
        List<FetchedMessage> messages = List.of();
        while (messages.isEmpty()) {
            messages = consumer.poll(Duration.ofSeconds(1));
        }
        assertThat(messages).hasSize(1);
        return messages.get(0);
    }

    private PollingConsumer committing() throws Exception {
        PollingConsumer consumer = builder(CONFIG.toBuilder().autoCommit(false).build())
                .buildPolling()
                .start();
        me = consumer.member();
        return consumer;
    }

    private List<String> commits() {
        return heard.stream().filter(each -> each.startsWith("commit")).toList();
    }

    @Test
    void commitCoversAllPollsSoFar() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            poll(consumer);
            assertThat(consumer.poll(Duration.ofMillis(50))).isEmpty();

            consumer.commit();
            consumer.commit();

            assertThat(commits()).containsExactly("commit 4");
        }
    }

    @Test
    void messageOfAnEarlierPollMayBeCommitted() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            FetchedMessage first = poll(consumer);
            message = 5;
            FetchedMessage second = poll(consumer);

            consumer.commit(first);
            assertThat(commits()).containsExactly("commit 4");
            consumer.commit(second);
            consumer.commit(first);

            assertThat(commits()).hasSize(2).last().asString().startsWith("commit 5");
            assertThatThrownBy(() -> consumer.commit(FetchedMessage.of("orders", 0, 6, "never polled")))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void commitOfAPartitionThatIsLostSaysSoOnce() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            FetchedMessage polled = poll(consumer);
            losing.set(true);
            await().until(() -> consumer.partitions().isEmpty());

            assertThatThrownBy(() -> consumer.commit(polled)).hasMessageContaining("LOCK_LOST");
            assertThatThrownBy(consumer::commit).hasMessageContaining("LOCK_LOST");
            consumer.commit();

            assertThat(commits()).isEmpty();
        }
    }
}
