// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.load.TestConfig;

/** The executor's policy, without threads and without a clock. */
class WorkerQueuesTest {
    private static final int KEPT_PINS = 2; // fewer than the random schedules have keys
    private static final long BOUND_NANOS = Duration.ofSeconds(1).toNanos();

    private final WorkerQueues<String, TestTask> queues = queues(TestSelection.LEAST_LOADED, 3, 100, 5);
    private final List<Entry<String, TestTask>> overdue = new ArrayList<>();

    static WorkerQueues<String, TestTask> queues(TestSelection selection, int workers, int maxPerKey, int maxBatch) {
        return new WorkerQueues<>(
                selection.selection(),
                TestConfig.of(PoolConfig.class)
                        .with("workers", workers)
                        .with("maxWaitingPerKey", maxPerKey)
                        .with("maxWaiting", 1_000)
                        .with("maxBatch", maxBatch)
                        .with("starvationBound", Duration.ofSeconds(1))
                        .create(),
                KEPT_PINS);
    }

    private Entry<String, TestTask> add(String key) {
        return add(queues, TestTask.of(key, 0));
    }

    private static Entry<String, TestTask> add(WorkerQueues<String, TestTask> to, TestTask task) {
        return add(to, task, 0);
    }

    static Entry<String, TestTask> add(WorkerQueues<String, TestTask> to, TestTask task, long nowNanos) {
        assertThat(to.reserve()).isTrue();
        return Objects.requireNonNull(to.add(task, nowNanos), "refused");
    }

    /** The tasks of a batch. */
    static List<Entry<String, TestTask>> all(@Nullable Entry<String, TestTask> batch) {
        List<Entry<String, TestTask>> all = new ArrayList<>();
        for (Entry<String, TestTask> each = batch; each != null; each = Chain.after(each)) {
            all.add(each);
        }
        return all;
    }

    private List<Entry<String, TestTask>> poll(int worker, long nowNanos) {
        return all(queues.poll(worker, nowNanos));
    }

    private Entry<String, TestTask> start(TestTask task) {
        return Objects.requireNonNull(queues.start(task, 0), "has to be queued");
    }

    @Test
    void whoIsFreeFirstTakesTheOldestKeyWhicheverWorkerItIs() {
        add("a");
        add("b");
        add("c");

        assertThat(poll(2, 0)).extracting(each -> each.task().key).containsExactly("a");
        assertThat(poll(0, 0)).extracting(each -> each.task().key).containsExactly("b");
        assertThat(poll(1, 0)).extracting(each -> each.task().key).containsExactly("c");
    }

    @Test
    void noOtherWorkerTakesAKeyWhileOneOfItsTasksRuns() {
        add("a");
        Entry<String, TestTask> first = poll(0, 0).get(0);
        Entry<String, TestTask> second = add("a");

        assertThat(poll(1, 0)).isEmpty();
        assertThat(queues.done(first)).isTrue();
        assertThat(poll(1, 0)).containsExactly(second);
    }

    @Test
    void aTaskStartsAtOnceWhileNothingWaitsAndNoneOfItsKeyRuns() {
        Entry<String, TestTask> started = start(TestTask.of("a", 0));

        assertThat(queues.running()).isOne();
        assertThat(queues.start(TestTask.of("a", 1), 0)).isNull();
        start(TestTask.of("b", 0));
        assertThat(queues.done(started)).isFalse();
        start(TestTask.of("a", 1));
        assertThat(queues.running()).isEqualTo(2);
    }

    @Test
    void noTaskStartsAtOnceWhileAnyOtherWaits() {
        add("a");

        assertThat(queues.start(TestTask.of("b", 0), 0)).isNull();
        poll(0, 0);
        start(TestTask.of("b", 0));
        assertThat(queues.start(TestTask.of("a", 0), 0)).isNull(); // its key runs
    }

    @Test
    void tasksOfAKeyWaitBehindTheOneThatRunsOnItsCallersThread() {
        Entry<String, TestTask> started = start(TestTask.of("a", 0));
        add("a");

        assertThat(poll(0, 0)).isEmpty();
        assertThat(queues.done(started)).isTrue();
        assertThat(poll(0, 0)).hasSize(1);
    }

    @Test
    void keysOfWhichNothingWaitsOrRunsAreForgottenOnceThereAreMany() {
        add("waits");
        Entry<String, TestTask> runs = poll(0, 0).get(0);
        add("waits");

        for (int i = 0; i < 10; i++) {
            add("key-" + i);
            queues.done(poll(0, 0).get(0));
        }

        assertThat(queues.pins()).isBetween(1, 2 * KEPT_PINS);
        assertThat(queues.keys()).isOne();
        assertThat(queues.done(runs))
                .as("more of a key that has run all the time")
                .isTrue();
        assertThat(poll(0, 0)).extracting(each -> each.task().key).containsExactly("waits");
    }

    @Test
    void keysOfWhichAllTasksAreOverdueAreForgottenOnceThereAreMany() {
        for (int i = 0; i < 10; i++) {
            overdue.clear();
            add(queues, new TestTask("key-" + i, i, Priority.NORMAL, 10), 0);
            assertThat(queues.takeOverdue(11, overdue)).isEmpty();
            assertThat(overdue).hasSize(1);
        }

        assertThat(queues.pins()).isLessThanOrEqualTo(KEPT_PINS);
        assertThat(queues.keys()).isZero();
    }

    @Test
    void aKeyThatHasBeenForgottenIsAsGoodAsNew() {
        for (int i = 0; i < 10; i++) {
            add("key-" + i);
            queues.done(poll(0, 0).get(0));
        }
        assertThat(queues.pins()).isLessThan(10);
        Entry<String, TestTask> again = add("key-0");

        assertThat(poll(0, 0)).containsExactly(again);
        assertThat(queues.done(again)).isFalse();
        assertThat(queues.isQuiet()).isTrue();
    }

    @Test
    void aBatchIsWhatWaitsOfOneKeyAndPriorityInOrder() {
        for (int i = 0; i < 3; i++) {
            add(queues, TestTask.of("a", i), 0);
        }
        add(queues, new TestTask("a", 9, Priority.LOW, Long.MAX_VALUE / 2), 0);

        assertThat(poll(0, 0)).extracting(each -> each.task().number).containsExactly(0, 1, 2);
        assertThat(queues.waiting()).isEqualTo(1);
    }

    @Test
    void aBatchHasItsBound() {
        for (int i = 0; i < 7; i++) {
            add(queues, TestTask.of("a", i), 0);
        }

        assertThat(poll(0, 0)).hasSize(5);
        assertThat(queues.waiting()).isEqualTo(2);
    }

    @Test
    void urgentTasksRunFirstUntilOthersHaveStarvedForTheBound() {
        add(queues, new TestTask("a", 0, Priority.LOW, Long.MAX_VALUE / 2), 0);
        add(queues, new TestTask("a", 1, Priority.HIGH, Long.MAX_VALUE / 2), 10);
        add(queues, new TestTask("a", 2, Priority.NORMAL, Long.MAX_VALUE / 2), 10);

        assertThat(runNext(BOUND_NANOS - 1)).isEqualTo(1);
        assertThat(runNext(BOUND_NANOS)).isZero();
        assertThat(runNext(BOUND_NANOS)).isEqualTo(2);
    }

    private int runNext(long nowNanos) {
        Entry<String, TestTask> batch = poll(0, nowNanos).get(0);
        queues.done(batch);
        return batch.task().number;
    }

    @Test
    void whatStarvesIsSeenBehindAKeyOfTheSamePriorityThatRuns() {
        add(queues, new TestTask("a", 0, Priority.LOW, Long.MAX_VALUE / 2), 0);
        add(queues, new TestTask("a", 1, Priority.HIGH, Long.MAX_VALUE / 2), 0);
        add(queues, new TestTask("b", 2, Priority.LOW, Long.MAX_VALUE / 2), 0);
        add(queues, new TestTask("c", 3, Priority.HIGH, Long.MAX_VALUE / 2), 10);
        assertThat(poll(0, 0).get(0).task().number).isEqualTo(1);

        assertThat(poll(1, BOUND_NANOS).get(0).task().number).isEqualTo(2);
    }

    @Test
    void whatIsOverdueIsTakenOutOfEachWorkersQueue() {
        WorkerQueues<String, TestTask> ownQueues = queues(TestSelection.OWN_QUEUES, 3, 100, 5);
        for (int i = 0; i < 20; i++) {
            add(ownQueues, new TestTask("key-" + i, i, Priority.NORMAL, i < 19 ? 10 : 90), 0);
        }

        assertThat(ownQueues.takeOverdue(30, overdue)).hasValue(90);
        assertThat(overdue).hasSize(19);
        assertThat(IntStream.range(0, 3).filter(ownQueues::hasReady)).hasSize(1);
    }

    @Test
    void aKeyIsLeftToTheWorkerWhoseQueueItIsIn() {
        WorkerQueues<String, TestTask> ownQueues = queues(TestSelection.OWN_QUEUES, 3, 100, 5);
        Entry<String, TestTask> entry = add(ownQueues, TestTask.of("a", 0));

        assertThat(ownQueues.poll((entry.worker() + 1) % 3, 0)).isNull();
        assertThat(ownQueues.poll(entry.worker(), 0)).isSameAs(entry);
    }

    @Test
    void keysTakeTurnsAlthoughOneOfThemAlwaysHasMore() {
        for (int i = 0; i < 7; i++) {
            add(queues, TestTask.of("a", i), 0);
        }
        add(queues, TestTask.of("b", 9), 0);

        assertThat(runNext(0)).isZero();
        assertThat(runNext(0)).isEqualTo(9);
        assertThat(runNext(0)).isEqualTo(5);
    }

    @Test
    void boundsRefuse() {
        WorkerQueues<String, TestTask> small = new WorkerQueues<>(
                new LeastLoaded(),
                TestConfig.of(PoolConfig.class)
                        .with("workers", 2)
                        .with("maxWaitingPerKey", 2)
                        .with("maxWaiting", 3)
                        .with("maxBatch", 5)
                        .with("starvationBound", Duration.ofSeconds(1))
                        .create());
        add(small, TestTask.of("a", 0));
        add(small, TestTask.of("a", 1));

        assertThat(small.reserve()).isTrue();
        assertThat(small.add(TestTask.of("a", 2), 0)).as("its key is full").isNull();
        add(small, TestTask.of("b", 0));
        assertThat(small.reserve()).as("all is full").isFalse();
        assertThat(small.waiting()).isEqualTo(3);
        small.poll(0, 0);
        assertThat(small.reserve()).isTrue();
    }

    @Test
    void whatIsOverdueIsTakenOutWhateverItsKeyAndPriorityAndTheEarliestDeadlineOfTheOthersIsTold() {
        add(queues, new TestTask("a", 0, Priority.NORMAL, 50), 0);
        add(queues, new TestTask("a", 1, Priority.NORMAL, 10), 0);
        add(queues, new TestTask("a", 2, Priority.LOW, 40), 0);
        add(queues, new TestTask("b", 3, Priority.NORMAL, 20), 0);

        assertThat(queues.takeOverdue(30, overdue)).hasValue(40);

        assertThat(overdue).extracting(each -> each.task().number).containsExactlyInAnyOrder(1, 3);
        assertThat(queues.waiting()).isEqualTo(2);
        assertThat(poll(0, 30)).extracting(each -> each.task().number).containsExactly(0);
    }

    /** While all workers are held up, nobody polls; each key that comes and expires would leave something behind. */
    @ParameterizedTest
    @EnumSource(TestSelection.class)
    void keysWhoseTasksAreOverdueLeaveTheirQueues(TestSelection selection) {
        WorkerQueues<String, TestTask> held = queues(selection, 3, 100, 5);
        add(held, new TestTask("a", 0, Priority.NORMAL, 10), 0);
        add(held, new TestTask("b", 1, Priority.LOW, 10), 0);
        add(held, new TestTask("c", 2, Priority.HIGH, 10), 0);

        assertThat(held.takeOverdue(30, overdue)).isEmpty();

        assertThat(overdue).hasSize(3);
        for (int worker = 0; worker < 3; worker++) {
            assertThat(held.hasReady(worker)).isFalse();
        }
    }

    @Test
    void aTaskIsNotOverdueAtItsDeadlineAndOneThatRunsIsNotTakenOut() {
        add(queues, new TestTask("a", 0, Priority.NORMAL, 30), 0);
        add(queues, new TestTask("b", 1, Priority.NORMAL, 10), 0);
        poll(0, 0);

        assertThat(queues.takeOverdue(30, overdue)).isEmpty();
        assertThat(overdue).extracting(each -> each.task().number).containsExactly(1);
        assertThat(queues.takeOverdue(31, overdue)).isEmpty();
        assertThat(overdue).hasSize(1);
        assertThat(queues.running()).isOne();
    }

    @Test
    void whatHasBeenFoundOverdueIsToldAlthoughTheLookFails() {
        add(queues, new TestTask("a", 0, Priority.NORMAL, 10), 0);
        add(queues, new TestTask("b", 1, Priority.NORMAL, 10), 0);
        List<Entry<String, TestTask>> noRoomForTwo = new ArrayList<>() {
            @Override
            public boolean add(Entry<String, TestTask> entry) {
                if (!isEmpty()) {
                    throw new OutOfMemoryError("on purpose");
                }
                return super.add(entry);
            }
        };

        assertThatThrownBy(() -> queues.takeOverdue(30, noRoomForTwo)).isInstanceOf(OutOfMemoryError.class);
        assertThat(queues.waiting()).isOne();
        assertThat(queues.takeOverdue(30, overdue)).isEmpty();
        overdue.addAll(noRoomForTwo);
        assertThat(overdue).extracting(each -> each.task().number).containsExactlyInAnyOrder(0, 1);
    }

    /** It has left its queue, but not the pool's memory: nothing else is in between. */
    @ParameterizedTest
    @EnumSource(TestSelection.class)
    void aKeyWhoseTasksWereOverdueIsQueuedAgain(TestSelection selection) {
        WorkerQueues<String, TestTask> held = queues(selection, 3, 100, 5);
        int worker = add(held, new TestTask("a", 0, Priority.NORMAL, 10), 0).worker();
        assertThat(held.takeOverdue(30, overdue)).isEmpty();
        assertThat(held.pins()).isOne();

        Entry<String, TestTask> again = add(held, TestTask.of("a", 1));

        assertThat(held.hasReady(worker)).isTrue();
        assertThat(held.poll(worker, 30)).isSameAs(again);
    }

    @Test
    void afterAFloodOfKeysNoMoreOfThemAreRememberedThanBefore() {
        for (int i = 0; i < 100; i++) {
            add("key-" + i);
        }
        for (int i = 0; i < 100; i++) {
            queues.done(poll(0, 0).get(0));
        }
        assertThat(queues.pins()).isEqualTo(100);

        assertThat(queues.takeOverdue(0, overdue)).isEmpty();

        assertThat(queues.pins()).isLessThanOrEqualTo(KEPT_PINS);
        for (int i = 0; i < 100; i++) {
            add("key-" + i);
            queues.done(poll(0, 0).get(0));
            assertThat(queues.pins()).isLessThanOrEqualTo(KEPT_PINS);
        }
    }
}
