// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.TalosClientException;
import org.talos.client.WakeupException;
import org.talos.thrift.UpdateOffsetResponse;

/** Tests how a program seeks, pauses, and wakes a consumer that it polls, and commits in the background. */
@Timeout(60)
class PollingControlTest extends MemberFixture {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    private static final TopicPartition ANOTHER = new TopicPartition("orders", 7);
    private static final Duration LONG = Duration.ofSeconds(40);
    private static final Duration SOON = Duration.ofSeconds(20);

    private PollingConsumer polling(ConsumerConfig config) throws Exception {
        PollingConsumer consumer = builder(config).buildPolling().start();
        me = consumer.member();
        await().until(() -> consumer.partitions().contains(ORDERS));
        return consumer;
    }

    private PollingConsumer committing() throws Exception {
        return polling(CONFIG.toBuilder().autoCommit(false).build());
    }

    private static FetchedMessage poll(PollingConsumer consumer) throws Exception {
        List<FetchedMessage> messages = List.of();
        while (messages.isEmpty()) {
            messages = consumer.poll(Duration.ofSeconds(1));
        }
        assertThat(messages).hasSize(1);
        return messages.get(0);
    }

    private static void awaitBuffered(PollingConsumer consumer) {
        await().until(() -> consumer.snapshot().bufferedBytes() == 1); // the body of what waits to be polled
    }

    private List<String> commits() {
        return heard.stream().filter(each -> each.startsWith("commit")).toList();
    }

    private static CompletableFuture<List<FetchedMessage>> pollElsewhere(PollingConsumer consumer) {
        CompletableFuture<List<FetchedMessage>> polled = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        polled.complete(consumer.poll(LONG));
                    } catch (Exception e) {
                        polled.completeExceptionally(e);
                    }
                })
                .start();
        return polled;
    }

    @Test
    void seekHasTheNextPollReadThereAndTheNextCommitGoBack() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            poll(consumer);
            consumer.commit();

            consumer.seek(ORDERS, 2);
            consumer.commit();

            assertThat(commits()).containsExactly("commit 4", "commit 1 from 4");
            assertThat(poll(consumer).offset()).isEqualTo(4);
            assertThat(heard).contains("get 2");
            consumer.commit();
            assertThat(commits()).last().isEqualTo("commit 4");
        }
    }

    @Test
    void seekGoesToTheOldestMessageAndToTheEnd() throws Exception {
        try (PollingConsumer consumer = committing()) {
            consumer.seek(ORDERS, StartPosition.EARLIEST);
            await().until(() -> heard.contains("get 3"));

            consumer.seek(ORDERS, StartPosition.LATEST);
            await().until(() -> heard.contains("get 10"));

            assertThat(commits()).isEmpty();
            consumer.commit();
            assertThat(commits()).containsExactly("commit 9 from -1");
        }
    }

    @Test
    void placeThatIsSoughtIsCommittedBeforeAnythingIsReadThere() throws Exception {
        ConsumerConfig seldom =
                CONFIG.toBuilder().commitInterval(Duration.ofHours(1)).build();
        try (PollingConsumer consumer = polling(seldom)) {
            consumer.seek(ORDERS, 7);

            await().until(() -> heard.contains("get 7"));
            assertThat(heard.indexOf("commit 6 from -1")).isBetween(0, heard.indexOf("get 7"));
        }
    }

    /** Else the next owner of the partition would continue at the old place. */
    @Test
    void placeThatIsSoughtIsCommittedWhenTheServerTakesCommitsAgain() throws Exception {
        committed = 8;
        hasCommitted = true;
        refusals.add(new UpdateOffsetResponse(false).setLockLost(false)); // another has committed in between
        try (PollingConsumer consumer = polling(CONFIG)) {
            consumer.seek(ORDERS, 3);

            await().until(() -> heard.contains("commit 2 from 8"));
            assertThat(heard).contains("refused 2");
        }
    }

    @Test
    void messagesThatWereReadAheadAreDroppedBySeek() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            awaitBuffered(consumer);
            message = 7;

            consumer.seek(ORDERS, 5);

            assertThat(poll(consumer).offset()).isEqualTo(7);
        }
    }

    @Test
    void messagesThatWerePolledBeforeASeekDoNotCountAsProcessed() throws Exception {
        message = 4;
        try (PollingConsumer consumer = polling(CONFIG)) {
            poll(consumer);
            consumer.seek(ORDERS, 4);

            assertThat(poll(consumer).offset()).isEqualTo(4);

            assertThat(commits()).containsExactly("commit 3 from -1");
        }
    }

    @Test
    void messageOfBeforeASeekMayBeCommitted() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            FetchedMessage polled = poll(consumer);
            consumer.seek(ORDERS, 2);

            consumer.commit(polled);

            assertThat(commits()).containsExactly("commit 4 from -1");
            assertThatThrownBy(() -> consumer.commit(FetchedMessage.of("orders", 0, 2, "never polled")))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void seekOfAPartitionThatIsNotReadIsRefused() throws Exception {
        try (PollingConsumer consumer = committing()) {
            assertThatThrownBy(() -> consumer.seek(ANOTHER, 2))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("seek: orders/7 is not read by this consumer (expected: one of [orders/0])");
            assertThatThrownBy(() -> consumer.seek(ANOTHER, StartPosition.LATEST))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> consumer.seek(ORDERS, -1)).isInstanceOf(IllegalArgumentException.class);
        }
        try (PollingConsumer notStarted = builder(CONFIG).buildPolling()) {
            assertThatThrownBy(() -> notStarted.seek(ORDERS, 2)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void pausedPartitionIsNotPolledAndStaysTheMembers() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            awaitBuffered(consumer);
            consumer.pause(List.of(ORDERS));
            heard.clear();

            assertThat(consumer.poll(Duration.ofMillis(50))).isEmpty();
            await().until(() -> heard.contains("renewed [0]"));

            assertThat(consumer.paused()).containsExactly(ORDERS);
            assertThat(consumer.partitions()).containsExactly(ORDERS);
            consumer.resume(List.of(ORDERS));
            assertThat(poll(consumer).offset()).isEqualTo(4);
            assertThat(consumer.paused()).isEmpty();
        }
    }

    @Test
    void pollThatWaitsGetsWhatIsResumed() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            awaitBuffered(consumer);
            consumer.pause(List.of(ORDERS));
            CompletableFuture<List<FetchedMessage>> polled = pollElsewhere(consumer);
            await().during(Duration.ofMillis(50)).until(() -> !polled.isDone());

            consumer.resume(List.of(ORDERS));

            assertThat(polled).succeedsWithin(SOON).asInstanceOf(LIST).hasSize(1);
        }
    }

    @Test
    void whatWasProcessedBeforeThePauseIsCommittedDuringIt() throws Exception {
        message = 4;
        try (PollingConsumer consumer = polling(CONFIG)) {
            poll(consumer);
            consumer.pause(List.of(ORDERS));

            assertThat(consumer.poll(Duration.ZERO)).isEmpty();

            await().until(() -> heard.contains("commit 4"));
        }
    }

    @Test
    void pauseOfAPartitionThatIsNotReadPausesNone() throws Exception {
        try (PollingConsumer consumer = committing()) {
            assertThatThrownBy(() -> consumer.pause(List.of(ORDERS, ANOTHER)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("pause: orders/7");

            assertThat(consumer.paused()).isEmpty();
        }
    }

    @Test
    void partitionThatIsLostWhilePausedAndTakenAgainIsNotPaused() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            awaitBuffered(consumer);
            consumer.pause(List.of(ORDERS));
            losing.set(true);

            assertThat(poll(consumer).offset()).isEqualTo(4);

            assertThat(heard.stream().filter("lock"::equals)).hasSize(2);
            assertThat(consumer.paused()).isEmpty();
        }
    }

    @Test
    void wakeupEndsThePollThatWaits() throws Exception {
        try (PollingConsumer consumer = committing()) {
            CompletableFuture<List<FetchedMessage>> polled = pollElsewhere(consumer);
            await().during(Duration.ofMillis(50)).until(() -> !polled.isDone());

            consumer.wakeup();

            assertThat(polled)
                    .failsWithin(SOON)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(WakeupException.class);
        }
    }

    @Test
    void wakeupBeforeAPollEndsThatOneAndLosesNothing() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            awaitBuffered(consumer);
            consumer.wakeup();
            consumer.wakeup();

            assertThatThrownBy(() -> consumer.poll(LONG)).isInstanceOf(WakeupException.class);

            assertThat(poll(consumer).offset()).isEqualTo(4);
        }
    }

    @Test
    void whatWasPolledBeforeAPollThatWasWokenCountsAsProcessed() throws Exception {
        message = 4;
        try (PollingConsumer consumer = polling(CONFIG)) {
            poll(consumer);
            consumer.wakeup();

            assertThatThrownBy(() -> consumer.poll(LONG)).isInstanceOf(WakeupException.class);
        }

        assertThat(heard).contains("commit 4");
    }

    @Test
    void commitInTheBackgroundCoversWhatWasPolledWhenItWasAskedFor() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            commits = new CountDownLatch(1);
            FetchedMessage first = poll(consumer);
            CompletableFuture<?> one = consumer.commitAsync();
            message = 5;
            poll(consumer);

            commits.countDown();

            assertThat(one).succeedsWithin(SOON);
            assertThat(commits()).containsExactly("commit 4");
            assertThat(consumer.commitAsync(first)).succeedsWithin(SOON);
            assertThat(consumer.commitAsync()).succeedsWithin(SOON);
            assertThat(commits()).containsExactly("commit 4", "commit 5");
        }
    }

    @Test
    void commitsThatWaitAreMadeByOneCall() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            commits = new CountDownLatch(1);
            poll(consumer);
            CompletableFuture<?> first = consumer.commitAsync();
            await().until(() -> heard.contains("stores"));
            message = 5;
            poll(consumer);
            CompletableFuture<?> second = consumer.commitAsync();
            message = 6;
            poll(consumer);
            CompletableFuture<?> third = consumer.commitAsync();

            commits.countDown();

            assertThat(CompletableFuture.allOf(first, second, third)).succeedsWithin(SOON);
            assertThat(commits()).containsExactly("commit 4", "commit 6");
        }
    }

    @Test
    void failureOfACommitInTheBackgroundArrivesOnce() throws Exception {
        message = 4;
        AtomicInteger ends = new AtomicInteger();
        try (PollingConsumer consumer = committing()) {
            poll(consumer);
            refusals.add(new UpdateOffsetResponse(false).setLockLost(true));

            CompletableFuture<?> failed = consumer.commitAsync();
            var counted = failed.whenComplete((done, thrown) -> ends.incrementAndGet());

            assertThat(failed)
                    .failsWithin(SOON)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(TalosClientException.class)
                    .withMessageContaining("LOCK_LOST");
            assertThat(counted).isCompletedExceptionally();
            consumer.commit();
            assertThat(consumer.commitAsync()).succeedsWithin(SOON);
        }
        assertThat(ends).hasValue(1);
    }

    @Test
    void closeWaitsForACommitThatIsUnderWay() throws Exception {
        message = 4;
        commits = new CountDownLatch(1);
        PollingConsumer consumer = committing();
        poll(consumer);
        CompletableFuture<?> commit = consumer.commitAsync();
        await().until(() -> heard.contains("stores"));

        CompletableFuture<Void> closed = CompletableFuture.runAsync(consumer::close, task -> new Thread(task).start());
        await().during(Duration.ofMillis(100)).until(() -> !closed.isDone());
        assertThat(heard).doesNotContain("unlock");
        commits.countDown();

        assertThat(closed).succeedsWithin(SOON);
        assertThat(commit).isCompleted();
        assertThat(heard.indexOf("commit 4")).isBetween(0, heard.indexOf("unlock"));
    }

    @Test
    void callbackOfACommitMayCloseTheConsumer() throws Exception {
        message = 4;
        PollingConsumer consumer = committing();
        poll(consumer);

        CompletableFuture<?> closed = consumer.commitAsync().thenRun(consumer::close);

        assertThat(closed).succeedsWithin(SOON);
        await().until(() -> heard.contains("leave " + consumer.member()));
        assertThat(heard).contains("commit 4");
    }

    @Test
    void commitInTheBackgroundAfterTheEndFails() throws Exception {
        message = 4;
        PollingConsumer consumer = committing();
        poll(consumer);
        consumer.close();

        assertThat(consumer.commitAsync()).failsWithin(SOON);
    }

    @Test
    void snapshotHasWhatTheConsumerKnows() throws Exception {
        message = 4;
        try (PollingConsumer consumer = committing()) {
            awaitBuffered(consumer);
            poll(consumer);
            consumer.commit();
            consumer.pause(List.of(ORDERS));

            await().until(() -> consumer.snapshot().lag().isPresent());
            ConsumerSnapshot after = consumer.snapshot();

            assertThat(after.group()).isEqualTo("shop");
            assertThat(after.member()).isEqualTo(consumer.member());
            assertThat(after.isMember()).isTrue();
            assertThat(after.lastContact()).isPresent();
            assertThat(after.partitions()).singleElement().satisfies(each -> {
                assertThat(each.partition()).isEqualTo(ORDERS);
                assertThat(each.position()).hasValue(5);
                assertThat(each.committed()).hasValue(5);
                assertThat(each.lag()).hasValue(5); // up to 9
                assertThat(each.isPaused()).isTrue();
            });
        }
    }

    @Test
    void lagDoesNotCountWhatHasExpired() throws Exception {
        try (PollingConsumer consumer = committing()) {
            consumer.pause(List.of(ORDERS));
            consumer.seek(ORDERS, 0); // the oldest is 3

            await().until(() -> consumer.snapshot().lag().isPresent());

            assertThat(consumer.snapshot().lag()).hasValue(7);
        }
    }

    @Test
    void snapshotOfAConsumerThatIsNotStartedIsEmpty() {
        try (PollingConsumer consumer = builder(CONFIG).buildPolling()) {
            ConsumerSnapshot snapshot = consumer.snapshot();

            assertThat(snapshot.partitions()).isEmpty();
            assertThat(snapshot.lastContact()).isEmpty();
            assertThat(snapshot.lag()).hasValue(0);
        }
    }
}
