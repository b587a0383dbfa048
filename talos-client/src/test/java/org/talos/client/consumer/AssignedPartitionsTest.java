// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.talos.client.ScriptedServer.described;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.FatalException;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UpdateOffsetResponse;

/** A consumer that reads for a group what its program has assigned, and is not a member. */
@Timeout(60)
class AssignedPartitionsTest extends MemberFixture {
    private static final TopicPartition FIRST = new TopicPartition("orders", 0);
    private static final TopicPartition SECOND = new TopicPartition("orders", 1);
    private static final ConsumerConfig COMMITTING =
            CONFIG.toBuilder().autoCommit(false).build();

    private PollingConsumer assigned(ConsumerConfig config, TopicPartition... partitions) throws Exception {
        return builder(config).assign(List.of(partitions)).buildPolling().start();
    }

    private static FetchedMessage poll(PollingConsumer consumer) throws Exception {
        List<FetchedMessage> messages = List.of();
        while (messages.isEmpty()) {
            messages = consumer.poll(Duration.ofSeconds(1));
        }
        return messages.get(0);
    }

    private List<String> changes() {
        return heard.stream()
                .filter(each -> !each.startsWith("get") && !each.equals("stores"))
                .toList();
    }

    @Test
    void itCommitsForTheGroupAndIsNoMember() throws Exception {
        message = 4;
        try (PollingConsumer consumer = assigned(COMMITTING, FIRST)) {
            assertThat(consumer.partitions()).containsExactly(FIRST);
            assertThat(poll(consumer).offset()).isEqualTo(4);
            consumer.commit();
            assertThat(consumer.snapshot().isMember()).isFalse();
        }

        assertThat(changes()).containsExactly("commit 4");
    }

    @Test
    void itBeginsWhereTheGroupHasCommitted() throws Exception {
        committed = 6;
        hasCommitted = true;
        try (PollingConsumer consumer = assigned(COMMITTING, FIRST)) {
            await().until(() -> heard.contains("get 7"));

            assertThat(consumer.poll(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void itMayBeSentElsewhereAsSoonAsItIsStarted() throws Exception {
        message = 4;
        try (PollingConsumer consumer = assigned(COMMITTING, FIRST)) {
            consumer.seek(FIRST, 5);
            message = 8;

            assertThat(poll(consumer).offset()).isEqualTo(8);
        }
    }

    /** Servers let nobody go back who has no lock. */
    @Test
    void commitThatGoesBackTakesTheLockForThat() throws Exception {
        message = 4;
        try (PollingConsumer consumer = assigned(COMMITTING, FIRST)) {
            poll(consumer);
            consumer.commit();
            consumer.seek(FIRST, 2);

            consumer.commit();

            assertThat(changes())
                    .containsExactly("commit 4", "members", "lock", "commit 1 from 4", "leave " + consumer.member());
        }
    }

    @Test
    void commitThatGoesBackAsksForNoLockThatAMemberHas() throws Exception {
        others.put("other", List.of(0));
        try (PollingConsumer consumer = assigned(COMMITTING, FIRST)) {
            consumer.seek(FIRST, 0);

            assertThatThrownBy(consumer::commit).hasMessageContaining("LOCK_LOST");

            assertThat(changes()).containsExactly("members");
        }
    }

    @Test
    void commitFailsWhileAMemberHasThePartitionAndReadingGoesOn() throws Exception {
        message = 4;
        try (PollingConsumer consumer = assigned(COMMITTING, FIRST)) {
            poll(consumer);
            refusals.add(new UpdateOffsetResponse(false).setLockLost(true));
            refusals.add(new UpdateOffsetResponse(false).setLockLost(true));

            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(consumer::commit)
                        .isInstanceOf(FatalException.class)
                        .hasMessage("LOCK_LOST: partition orders/0 is a member's");
            }
            consumer.commit();

            assertThat(heard).contains("commit 4");
            message = 5;
            assertThat(poll(consumer).offset()).isEqualTo(5);
        }
    }

    @Test
    void automaticCommitIsTriedAgainWhileAMemberHasThePartition() throws Exception {
        message = 4;
        refusals.add(new UpdateOffsetResponse(false).setLockLost(true));
        try (PollingConsumer consumer = assigned(CONFIG, FIRST)) {
            poll(consumer);
            assertThat(consumer.poll(Duration.ZERO)).isEmpty();

            await().until(() -> heard.contains("commit 4"));

            assertThat(heard).contains("refused 4");
            assertThat(consumer.partitions()).containsExactly(FIRST);
        }
    }

    @Test
    void startAtTheEndThatAMemberKeepsFromBeingCommittedIsReadAllTheSame() throws Exception {
        refusals.add(new UpdateOffsetResponse(false).setLockLost(true));
        ConsumerConfig latest =
                COMMITTING.toBuilder().start(StartPosition.LATEST).build();
        try (PollingConsumer consumer = assigned(latest, FIRST)) {
            await().until(() -> heard.contains("get 10"));

            assertThat(consumer.partitions()).containsExactly(FIRST);
        }
    }

    @Test
    void partitionThatDoesNotExistIsRefusedAtTheStart() throws Exception {
        PollingConsumer consumer =
                builder(COMMITTING).assign(List.of(FIRST, SECOND)).buildPolling();
        assertThatThrownBy(consumer::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("assign: orders/1 (expected: 0..0)");

        topic = described(2);

        try (consumer) {
            consumer.start();
            assertThat(consumer.partitions()).containsExactly(FIRST, SECOND);
        }
    }

    @Test
    void otherPartitionsMayBeAssignedLater() throws Exception {
        topic = described(2);
        try (PollingConsumer consumer = assigned(COMMITTING, FIRST)) {
            consumer.assign(List.of(SECOND));
            assertThat(consumer.partitions()).containsExactly(SECOND);

            assertThatThrownBy(() -> consumer.assign(List.of(new TopicPartition("orders", 2))))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(consumer.partitions()).containsExactly(SECOND);

            consumer.assign(List.of());
            assertThat(consumer.partitions()).isEmpty();
            assertThat(consumer.poll(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void memberCannotBeAssignedPartitions() throws Exception {
        try (PollingConsumer member = builder(COMMITTING).buildPolling().start()) {
            assertThatThrownBy(() -> member.assign(List.of(FIRST)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("built with assign");
        }
        try (PollingConsumer notStarted =
                builder(COMMITTING).assign(List.of(FIRST)).buildPolling()) {
            assertThatThrownBy(() -> notStarted.assign(List.of(FIRST))).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void readingEndsWhenTheTopicIsDeleted() throws Exception {
        try (PollingConsumer consumer = assigned(COMMITTING, FIRST)) {
            topic = new GetDescribeInfoResponse(new TopicTalosResourceName("me#orders#2"), 1);

            await().untilAsserted(() ->
                    assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).isInstanceOf(FatalException.class));
        }
    }

    @Test
    void processorsGetWhatIsAssigned() throws Exception {
        message = 4;
        CompletableFuture<Long> processed = new CompletableFuture<>();
        try (TalosConsumer consumer = builder(CONFIG)
                .assign(List.of(FIRST))
                .processor((messages, checkpoint) ->
                        processed.complete(messages.get(0).offset()))
                .build()
                .start()) {
            assertThat(processed).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(4L);
            await().until(() -> heard.contains("commit 4"));
            assertThat(consumer.partitions()).containsExactly(FIRST);
        }

        assertThat(changes()).containsExactly("commit 4");
    }
}
