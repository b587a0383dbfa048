// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ClientConfig;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.UnreadableBlockException;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.TopicTalosResourceName;

/** The life of a member of a group: how it joins, renews, ends and leaves, with processors and with polls. */
@Timeout(60)
class TalosConsumerTest extends MemberFixture {
    /** A server that takes the renewal last would lock the partition for a member that does not read it. */
    @Test
    void lockIsNotReleasedWhileItIsRenewed() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        renewals = gate;
        TalosConsumer consumer = join(CONFIG.toBuilder()
                .renewInterval(Duration.ofSeconds(3))
                .topicCheckInterval(Duration.ofSeconds(30))
                .build());
        me = consumer.member();
        await().until(() -> heard.contains("renew [0]"));
        Thread closing = new Thread(consumer::close);
        closing.start();
        try {
            await().during(Duration.ofMillis(50)).until(() -> !heard.contains("unlock"));
        } finally {
            gate.countDown();
            closing.join();
        }
        await().until(() -> heard.contains("unlock"));
        assertThat(heard.subList(heard.indexOf("unlock"), heard.size())).doesNotContain("renew [0]");
    }

    @Test
    void nextMessagesAreFetchedWhileThoseBeforeAreProcessed() throws Exception {
        message = 5;
        CountDownLatch gate = new CountDownLatch(1);
        TalosConsumer consumer = join(CONFIG, partition -> (messages, checkpoint) -> gate.await());
        me = consumer.member();

        await().until(() -> heard.contains("get 6"));

        assertThat(heard).doesNotContain("commit 5");
        gate.countDown();
        await().until(() -> heard.contains("commit 5"));
        consumer.close();
    }

    @Test
    void blockThatCannotBeReadIsToldAndLeftOutIfTheProgramSaysSo() throws Exception {
        broken = 3;
        message = 5;
        List<UnreadableBlockException> reported = new CopyOnWriteArrayList<>();
        ConsumerConfig config = CONFIG.toBuilder()
                .skipUnreadable(block -> {
                    reported.add(block);
                    if (reported.size() == 1) {
                        throw new IllegalStateException("of the program"); // counts as a no
                    }
                    return reported.size() > 2;
                })
                .build();

        TalosConsumer consumer = join(config);
        me = consumer.member();

        await().until(() -> heard.contains("commit 5"));
        assertThat(reported).hasSize(3).allMatch(each -> each.firstOffset() == 3 && each.lastOffset() == 4);
        assertThat(heard).contains("get 5");
        consumer.close();
    }

    @Test
    void blockThatCannotBeReadIsNotLeftOutOtherwise() throws Exception {
        broken = 3;
        message = 5;
        TalosConsumer consumer = join(CONFIG);
        me = consumer.member();
        await().until(() -> heard.stream().filter("get -1"::equals).count() > 1);

        consumer.close();

        assertThat(heard).doesNotContain("get 5", "commit 4", "commit 5");
    }

    @Test
    void messagesAreProcessedOnceAndCommittedAtTheEndWhereTimesHaveNone() throws Exception {
        Duration forever = ChronoUnit.FOREVER.getDuration();
        committed = 4;
        message = 5;
        CountDownLatch processed = new CountDownLatch(2);
        ConsumerConfig config = CONFIG.toBuilder()
                .commitInterval(forever)
                .failurePause(forever)
                .balanceInterval(forever)
                .lockTtl(forever)
                .topicCheckInterval(forever)
                .closeTimeout(forever)
                .build();
        TalosConsumer consumer = join(config, partition -> (messages, checkpoint) -> processed.countDown());
        me = consumer.member();
        await().until(() -> heard.stream().filter("get 6"::equals).count() > 2 || processed.getCount() == 0);

        consumer.close();

        assertThat(processed.getCount()).isEqualTo(1);
        assertThat(heard).contains("commit 5", "leave " + consumer.member());
    }

    @Test
    void heartbeatsWithoutAnEndAreRefusedForTheirLocksExpireBefore() {
        ConsumerConfig.Builder builder = ConsumerConfig.builder().renewInterval(ChronoUnit.FOREVER.getDuration());

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lockTtl");
    }

    @Test
    void nothingIsFetchedAheadWithoutMemoryForIt() throws Exception {
        message = 5;
        CountDownLatch gate = new CountDownLatch(1);
        ConsumerConfig config =
                CONFIG.toBuilder().maxFetchBytes(1_000).maxAheadBytes(999).build();
        TalosConsumer consumer = join(config, partition -> (messages, checkpoint) -> gate.await());
        me = consumer.member();
        await().until(() -> heard.contains("get -1"));

        await().during(Duration.ofMillis(100)).until(() -> !heard.contains("get 6"));

        gate.countDown();
        await().until(() -> heard.contains("get 6"));
        consumer.close();
    }

    @Test
    void memberThatIsClosedDoesNotWaitForItsFetch() throws Exception {
        emptyGets = new CountDownLatch(1);
        TalosConsumer consumer = join(CONFIG);
        me = consumer.member();
        await().until(() -> heard.contains("get -1"));

        consumer.close();

        assertThat(heard).contains("unlock", "leave " + consumer.member());
        assertThat(emptyGets.getCount()).isEqualTo(1);
    }

    @Test
    void closeDoesNotWaitForAStartUnderWay() throws Exception {
        registrations = new CountDownLatch(1);
        TalosConsumer consumer =
                builder(CONFIG).processor((messages, checkpoint) -> {}).build();
        CompletableFuture<Throwable> started =
                CompletableFuture.supplyAsync(() -> catchThrowable(consumer::start), task -> new Thread(task).start());
        await().until(() -> heard.contains("register"));

        consumer.close();

        assertThat(consumer.ended().toCompletableFuture()).isCompleted();
        registrations.countDown();
        assertThat(started.get(20, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        RetriableException.class, e -> assertThat(e.code()).isEqualTo("CLOSED"));
        assertThat(heard).endsWith("leave " + consumer.member());
    }

    @Test
    void memberThatIsClosedLeavesOnceItHasReleasedEverything() throws Exception {
        TalosConsumer consumer = join(CONFIG);
        me = consumer.member();
        await().until(() -> heard.contains("renewed [0]"));

        consumer.close();
        consumer.close();

        assertThat(heard.subList(heard.indexOf("unlock"), heard.size()))
                .as("nothing of it comes later")
                .endsWith("leave " + me);
        assertThat(heard.stream().filter(each -> each.startsWith("leave "))).hasSize(1);
    }

    @Test
    void serverThatKnowsNoLeavingDoesNotHoldUpTheClose() throws Exception {
        leaving = ScriptedServer.status(404, Map.of(), "no such call");
        TalosConsumer consumer = join(CONFIG);
        me = consumer.member();
        await().until(() -> heard.contains("renewed [0]"));

        consumer.close();

        assertThat(heard).contains("unlock", "leave " + me);
    }

    /** Its partitions must not be read by others before its locks have expired. */
    @Test
    void memberWhoseProcessorDoesNotFinishStaysUntilItExpires() throws Exception {
        message = 4;
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch inside = new CountDownLatch(1);
        TalosConsumer consumer = join(
                CONFIG.toBuilder().closeTimeout(Duration.ofMillis(50)).build(), partition -> (messages, checkpoint) -> {
                    inside.countDown();
                    gate.await();
                });
        me = consumer.member();
        inside.await();
        try {
            consumer.close();

            assertThat(heard).doesNotContain("leave " + me);
        } finally {
            gate.countDown();
        }
    }

    @Test
    void roundsThatFailAreRepeatedMoreAndMoreSeldom() throws Exception {
        members = ScriptedServer.error(ErrorCode.PERMISSION_DENIED_ERROR, "not yours");
        try (TalosConsumer consumer = join(CONFIG)) {
            me = consumer.member();
            await().until(() -> heard.contains("members"));
            await().during(Duration.ofMillis(500)).until(() -> count("members") < 5);
            members = null;

            await().until(() -> heard.contains("renewed [0]"));
        }
    }

    private long count(String call) {
        return heard.stream().filter(call::equals).count();
    }

    /** Checks that another member soon reads the partitions of a closed one, after one of its polls. */
    @Test
    void membersArePolledMoreThanOnceASecond() {
        assertThat(ConsumerConfig.builder().build().balanceInterval()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void memberWhoseTopicHasGoneSendsNoMoreHeartbeats() throws Exception {
        try (TalosConsumer consumer = join(CONFIG)) {
            me = consumer.member();
            await().until(() -> heard.contains("renewed [0]"));

            topic = new GetDescribeInfoResponse(new TopicTalosResourceName("me#orders#2"), 1);

            await().until(() -> consumer.failure().isPresent());
            AtomicLong before = new AtomicLong();
            await().during(CONFIG.renewInterval().multipliedBy(5)).until(() -> {
                long renewed = heard.stream()
                        .filter(each -> each.startsWith("renewed"))
                        .count();
                return before.getAndSet(renewed) == renewed;
            });
        }
    }

    @Test
    void nothingIsSentBeforeTheConsumerIsStarted() throws Exception {
        try (TalosConsumer consumer =
                builder(CONFIG).processor((messages, checkpoint) -> {}).build()) {
            assertThat(server.asked()).isEmpty();

            consumer.start();

            assertThatIllegalStateException().isThrownBy(consumer::start);
        }
    }

    @Test
    void startThatFailedMayBeTriedAgain() throws Exception {
        server.then(ScriptedServer.error(ErrorCode.TOPIC_NOT_EXIST, "no such topic"));
        try (TalosConsumer consumer =
                builder(CONFIG).processor((messages, checkpoint) -> {}).build()) {
            assertThatThrownBy(consumer::start).isInstanceOf(FatalException.class);

            consumer.start();
        }
    }

    @Test
    void endIsToldOnceByFutureAndCallback() throws Exception {
        List<Optional<TalosClientException>> ends = new CopyOnWriteArrayList<>();
        TalosConsumer closed = builder(CONFIG)
                .processor((messages, checkpoint) -> {})
                .onEnd(ends::add)
                .build()
                .start();
        closed.close();
        assertThat(closed.ended().toCompletableFuture()).isCompleted();
        assertThat(ends).containsExactly(Optional.empty());

        try (TalosConsumer bereft = builder(CONFIG)
                .processor((messages, checkpoint) -> {})
                .onEnd(ends::add)
                .build()
                .start()) {
            me = bereft.member();
            topic = new GetDescribeInfoResponse(new TopicTalosResourceName("me#orders#2"), 1);

            assertThat(bereft.ended().toCompletableFuture())
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(FatalException.class);
        }
        await().until(() -> ends.size() == 2); // the future and the callback have no order
        assertThat(ends.get(1)).isPresent();
    }

    @Test
    void endSaysThatTheTopicHasGoneThoughAProcessorDoesNotFinish() throws Exception {
        message = 4;
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        TalosConsumer consumer =
                join(CONFIG.toBuilder().closeTimeout(Duration.ZERO).build(), partition -> (messages, checkpoint) -> {
                    inside.countDown();
                    gate.await();
                });
        me = consumer.member();
        inside.await();
        topic = new GetDescribeInfoResponse(new TopicTalosResourceName("me#orders#2"), 1);
        await().until(() -> consumer.failure().isPresent());

        consumer.close();

        assertThat(consumer.ended().toCompletableFuture()).isCompletedExceptionally();
        gate.countDown();
    }

    @Test
    void commitCoversTheBatchAndAnOlderOneIsNoError() throws Exception {
        message = 4;
        List<String> refused = new CopyOnWriteArrayList<>();
        CountDownLatch processed = new CountDownLatch(1);
        try (TalosConsumer consumer =
                join(CONFIG.toBuilder().autoCommit(false).build(), partition -> (messages, checkpoint) -> {
                    checkpoint.commit();
                    checkpoint.commitBefore(3); // the server would refuse it as LOCK_LOST
                    try {
                        checkpoint.commitBefore(6);
                    } catch (IllegalArgumentException e) {
                        refused.add(String.valueOf(e.getMessage()));
                    }
                    processed.countDown();
                })) {
            me = consumer.member();
            processed.await();
        }

        assertThat(heard.stream().filter(each -> each.startsWith("commit"))).containsExactly("commit 4");
        assertThat(refused).containsExactly("offset: 6 (expected: 5 at most)");
    }

    @Test
    void messagesOfAPollCountAsProcessedWithTheNext() throws Exception {
        message = 4;
        try (PollingConsumer consumer = builder(CONFIG).buildPolling().start()) {
            me = consumer.member();
            assertThat(poll(consumer)).extracting(FetchedMessage::offset).containsExactly(4L);
            assertThat(heard).doesNotContain("commit 4");

            assertThat(consumer.poll(Duration.ofMillis(100))).isEmpty();

            await().until(() -> heard.contains("commit 4"));
        }
    }

    @Test
    void messagesOfTheLastPollAreReadAgainUnlessTheyAreCommitted() throws Exception {
        message = 4;
        try (PollingConsumer consumer = builder(CONFIG).buildPolling().start()) {
            me = consumer.member();
            poll(consumer);
        }
        assertThat(heard).contains("unlock").doesNotContain("commit 4");

        PollingConsumer consumer = builder(CONFIG).buildPolling().start();
        me = consumer.member();
        poll(consumer);
        consumer.commit();
        assertThat(heard).contains("commit 4");
        consumer.close();
        assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).hasMessageContaining("CLOSED");
    }

    /** A program may close its client alone: what was polled last does not hold that up. */
    @Test
    void clientThatIsClosedHasAPollingConsumerLeave() throws Exception {
        message = 4;
        TalosClient client = new TalosClient(
                ClientConfig.of(server.uri(), "AKTEST", "a-secret").withoutDirectRouting());
        PollingConsumer consumer = TalosConsumer.builder(client, "shop")
                .topics("orders")
                .config(CONFIG)
                .buildPolling()
                .start();
        me = consumer.member();
        poll(consumer);

        client.close();

        assertThat(heard).contains("unlock", "leave " + consumer.member());
        assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).hasMessageContaining("CLOSED");
    }

    private static List<FetchedMessage> poll(PollingConsumer consumer) throws Exception {
        List<FetchedMessage> messages = List.of();
        while (messages.isEmpty()) {
            messages = consumer.poll(Duration.ofSeconds(1));
        }
        return messages;
    }
}
