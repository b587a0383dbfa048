// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.thrift.UpdateOffsetResponse;

/** Tests where a member of a group begins to read, and what it commits. */
@Timeout(60)
class StartOffsetsTest extends MemberFixture {
    /** Whoever takes the partition before the first commit would else begin at a later end. */
    @Test
    void endIsCommittedBeforeAnythingIsRead() throws Exception {
        try (TalosConsumer consumer =
                join(CONFIG.toBuilder().start(StartPosition.LATEST).build())) {
            me = consumer.member();
            await().until(() -> heard.contains("get 10"));

            assertThat(heard.indexOf("commit 9 from -1")).isBetween(0, heard.indexOf("get 10"));
        }
    }

    @Test
    void endOfAnEmptyPartitionIsCommittedBeforeAnythingIsReadToo() throws Exception {
        offsets = offsets(0, -1);
        ConsumerConfig seldom = CONFIG.toBuilder()
                .start(StartPosition.LATEST)
                .commitInterval(Duration.ofHours(1))
                .build();
        try (TalosConsumer consumer = join(seldom)) {
            me = consumer.member();
            await().until(() -> heard.contains("get 0"));

            assertThat(heard.indexOf("commit -1 from -1")).isBetween(0, heard.indexOf("get 0"));
        }
    }

    @Test
    void resetGoesBackOnceAndNotWhenThePartitionIsTakenAgain() throws Exception {
        committed = 8;
        try (TalosConsumer consumer = join(reset(StartPosition.EARLIEST))) {
            me = consumer.member();
            await().until(() -> heard.contains("commit 2 from 8") && heard.contains("get 3"));
            committed = 6;
            heard.clear();
            losing.set(true);

            await().until(() -> heard.stream().anyMatch("get 7"::equals));

            assertThat(heard).contains("lock").doesNotContain("commit 2 from 8");
        }
    }

    @Test
    void resetDoesNotGoBackWhereAnotherMemberReads() throws Exception {
        committed = 8;
        others.put("other", List.of(0));
        try (TalosConsumer consumer = join(reset(StartPosition.LATEST))) {
            me = consumer.member();
            long asked = server.asked().size();
            await().until(() -> server.asked().size() > asked + 3);
            others.clear();

            await().until(() -> heard.contains("get 9"));
        }
    }

    /** An operator's reset to the first message is no reason to begin at the end. */
    @Test
    void groupThatWasResetToTheFirstMessageBeginsThere() throws Exception {
        hasCommitted = true;
        try (TalosConsumer consumer =
                join(CONFIG.toBuilder().start(StartPosition.LATEST).build())) {
            me = consumer.member();
            await().until(() -> heard.stream().anyMatch(each -> each.startsWith("get ")));

            assertThat(heard).contains("get 0");
        }
    }

    /** The group is further already: nothing is lost, and the partition need not rest for a lock's life. */
    @Test
    void commitThatIsBehindLosesNoLock() throws Exception {
        message = 4;
        refusals.add(new UpdateOffsetResponse(false).setLockLost(false));
        try (TalosConsumer consumer = join(CONFIG)) {
            me = consumer.member();
            await().until(() -> heard.contains("refused 4"));
            message = 5;
            await().until(() -> heard.contains("commit 5"));

            assertThat(heard.stream().filter("lock"::equals)).hasSize(1);
        }
    }

    @Test
    void commitByHandThatIsBehindIsDone() throws Exception {
        message = 4;
        refusals.add(new UpdateOffsetResponse(false).setLockLost(false));
        CountDownLatch returned = new CountDownLatch(1);
        try (TalosConsumer consumer =
                join(CONFIG.toBuilder().autoCommit(false).build(), partition -> (messages, checkpoint) -> {
                    checkpoint.commit();
                    returned.countDown();
                })) {
            me = consumer.member();

            assertThat(returned.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(heard.stream().filter("lock"::equals)).hasSize(1);
        }
    }

    @Test
    void lockOfAnotherStopsTheReader() throws Exception {
        message = 4;
        refusals.add(new UpdateOffsetResponse(false).setLockLost(true));
        try (TalosConsumer consumer = join(CONFIG)) {
            me = consumer.member();

            await().until(() -> heard.stream().filter("lock"::equals).count() > 1);
        }
    }

    /** Whoever goes back says from where: a server can tell that from an old commit that was long on its way. */
    @Test
    void resetNamesWhatItLeaves() throws Exception {
        committed = 8;
        hasCommitted = true;
        refusals.add(new UpdateOffsetResponse(false).setLockLost(false)); // another has committed in between
        try (TalosConsumer consumer = join(reset(StartPosition.EARLIEST))) {
            me = consumer.member();
            await().until(() -> heard.contains("get 3"));

            assertThat(heard).contains("refused 2", "commit 2 from 8");
            assertThat(heard.stream().filter("lock"::equals)).hasSize(1);
        }
    }

    @Test
    void resetToTheFirstMessageOfAllIsCommittedBeforeAnythingIsRead() throws Exception {
        committed = 8;
        offsets = offsets(0, 9);
        try (TalosConsumer consumer = join(reset(StartPosition.EARLIEST))) {
            me = consumer.member();
            await().until(() -> heard.contains("get 0"));

            assertThat(heard.indexOf("commit -1 from 8")).isBetween(0, heard.indexOf("get 0"));
        }
    }

    @Test
    void resetToTheFirstMessageBeginsThereAlsoIfTheServerTakesNoSuchCommit() throws Exception {
        committed = 8;
        offsets = offsets(0, 9);
        refusals.add(new UpdateOffsetResponse(false));
        try (TalosConsumer consumer = join(reset(StartPosition.EARLIEST))) {
            me = consumer.member();
            await().until(() -> heard.contains("get 0"));
            message = 0;
            await().until(() -> heard.contains("commit 0"));
        }
    }

    @Test
    void processorThatThrowsAnErrorGetsTheSameAgain() throws Exception {
        message = 4;
        AtomicBoolean thrown = new AtomicBoolean();
        List<Long> processed = new CopyOnWriteArrayList<>();
        try (TalosConsumer consumer = join(CONFIG, partition -> (messages, checkpoint) -> {
            if (thrown.compareAndSet(false, true)) {
                throw new UnsatisfiedLinkError("made to fail");
            }
            messages.forEach(each -> processed.add(each.offset()));
        })) {
            me = consumer.member();
            await().until(() -> !processed.isEmpty());

            assertThat(processed).containsExactly(4L);
            assertThat(heard.stream().filter("lock"::equals))
                    .as("it keeps its lock")
                    .hasSize(1);
        }
    }
}
