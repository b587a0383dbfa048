// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.server.config.DispatchConfig.SelectionPolicy;
import org.talos.server.config.PoolConfig;
import org.talos.server.dispatch.WorkerQueues.Entry;

/** The executor's policy, without threads and without a clock. */
class WorkerQueuesTest {
    private static final List<Priority> PRIORITIES = List.of(Priority.HIGH, Priority.NORMAL, Priority.LOW);
    private static final long BOUND_NANOS = Duration.ofSeconds(1).toNanos();

    private final WorkerQueues<String, TestTask> queues = queues(SelectionPolicy.AFFINITY, 3, 100, 5);
    private final List<Entry<String, TestTask>> overdue = new ArrayList<>();

    private static WorkerQueues<String, TestTask> queues(
            SelectionPolicy policy, int workers, int maxPerKey, int maxBatch) {
        return new WorkerQueues<>(
                WorkerSelection.of(policy), new PoolConfig(workers, maxPerKey, 1_000, maxBatch, Duration.ofSeconds(1)));
    }

    private Entry<String, TestTask> add(String key) {
        return add(queues, TestTask.of(key, 0));
    }

    private static Entry<String, TestTask> add(WorkerQueues<String, TestTask> to, TestTask task) {
        return Objects.requireNonNull(to.add(task, 0), "refused");
    }

    @Test
    void aFreeKeyGoesToTheLeastLoadedWorkerTiesToTheLowest() {
        assertThat(add("a").worker()).isZero();
        assertThat(add("b").worker()).isEqualTo(1);
        assertThat(add("c").worker()).isEqualTo(2);
        assertThat(add("d").worker()).isZero();
    }

    @Test
    void aKeyStaysWithItsWorkerWhileOneOfItsTasksWaits() {
        add("a");
        add("b");
        assertThat(add("a").worker()).isZero();
        assertThat(queues.tasksOf(0)).isEqualTo(2);
    }

    @Test
    void aKeyStaysWithItsWorkerWhileOneOfItsTasksRuns() {
        add("a");
        queues.poll(0, 0);
        add("b");
        add("c");

        assertThat(add("a").worker()).isZero();
    }

    @Test
    void aTaskStartsAtOnceWhileNothingWaitsAndNoneOfItsKeyRuns() {
        List<Entry<String, TestTask>> started = queues.start(TestTask.of("a", 0), 0);

        assertThat(started).hasSize(1);
        assertThat(queues.running()).isOne();
        assertThat(queues.tasksOf(0)).isZero(); // no worker has it
        assertThat(queues.start(TestTask.of("a", 1), 0)).isEmpty();
        assertThat(queues.start(TestTask.of("b", 0), 0)).hasSize(1);
        assertThat(queues.done(started)).isFalse();
        assertThat(queues.start(TestTask.of("a", 1), 0)).hasSize(1);
    }

    @Test
    void noTaskStartsAtOnceWhileAnyOtherWaits() {
        add("a");

        assertThat(queues.start(TestTask.of("b", 0), 0)).isEmpty();
        queues.poll(0, 0);
        assertThat(queues.start(TestTask.of("b", 0), 0)).hasSize(1);
        assertThat(queues.start(TestTask.of("a", 0), 0)).isEmpty(); // its key runs
    }

    @Test
    void tasksOfAKeyWaitBehindTheOneThatRunsOnItsCallersThread() {
        List<Entry<String, TestTask>> started = queues.start(TestTask.of("a", 0), 0);
        add("a");

        assertThat(queues.poll(0, 0)).isEmpty();
        assertThat(queues.tasksOf(0)).isOne();
        assertThat(queues.done(started)).isTrue();
        assertThat(queues.poll(0, 0)).hasSize(1);
    }

    @Test
    void aBusyWorkerCountsAsLoaded() {
        add("a");
        queues.poll(0, 0);

        assertThat(add("b").worker()).isEqualTo(1);
    }

    @Test
    void aKeyIsFreeAgainOnceNothingOfItWaitsOrRuns() {
        add("a");
        List<Entry<String, TestTask>> batch = queues.poll(0, 0);
        queues.done(batch);

        assertThat(queues.pinnedKeys()).isEmpty();
        add("x");
        assertThat(add("a").worker()).isEqualTo(1);
    }

    @Test
    void aBatchIsWhatWaitsOfOneKeyAndPriorityInOrder() {
        for (int i = 0; i < 3; i++) {
            queues.add(TestTask.of("a", i), 0);
        }
        queues.add(new TestTask("a", 9, Priority.LOW, Long.MAX_VALUE / 2), 0);

        assertThat(queues.poll(0, 0)).extracting(each -> each.task().number).containsExactly(0, 1, 2);
        assertThat(queues.waiting()).isEqualTo(1);
    }

    @Test
    void aBatchHasItsBound() {
        for (int i = 0; i < 7; i++) {
            queues.add(TestTask.of("a", i), 0);
        }

        assertThat(queues.poll(0, 0)).hasSize(5);
    }

    @Test
    void urgentTasksRunFirstUntilOthersHaveStarvedForTheBound() {
        queues.add(new TestTask("a", 0, Priority.LOW, Long.MAX_VALUE / 2), 0);
        queues.add(new TestTask("a", 1, Priority.HIGH, Long.MAX_VALUE / 2), 10);
        queues.add(new TestTask("a", 2, Priority.NORMAL, Long.MAX_VALUE / 2), 10);

        assertThat(runNext(BOUND_NANOS - 1)).isEqualTo(1);
        assertThat(runNext(BOUND_NANOS)).isZero();
        assertThat(runNext(BOUND_NANOS)).isEqualTo(2);
    }

    private int runNext(long nowNanos) {
        List<Entry<String, TestTask>> batch = queues.poll(0, nowNanos);
        queues.done(batch);
        return batch.get(0).task().number;
    }

    @Test
    void whatStarvesIsSeenBehindAKeyOfTheSamePriorityThatRuns() {
        queues.add(new TestTask("a", 0, Priority.LOW, Long.MAX_VALUE / 2), 0);
        queues.add(new TestTask("a", 1, Priority.HIGH, Long.MAX_VALUE / 2), 0);
        queues.add(new TestTask("b", 2, Priority.LOW, Long.MAX_VALUE / 2), 0);
        queues.add(new TestTask("c", 3, Priority.HIGH, Long.MAX_VALUE / 2), 10);
        assertThat(queues.poll(0, 0).get(0).task().number).isEqualTo(1);

        assertThat(queues.poll(1, BOUND_NANOS).get(0).task().number).isEqualTo(2);
    }

    @Test
    void firstFreeWorkerTakesOverAKeyThatNoWorkerRuns() {
        add("a");
        add("b");
        add("c");
        queues.poll(0, 0);
        queues.poll(1, 0);
        queues.poll(2, 0);
        Entry<String, TestTask> behindA = add("d");
        Entry<String, TestTask> ofA = add("a");
        assertThat(behindA.worker()).isZero();

        assertThat(queues.poll(2, 0)).containsExactly(behindA);
        assertThat(behindA.worker()).isEqualTo(2);
        assertThat(queues.tasksOf(0)).isEqualTo(2);
        assertThat(queues.tasksOf(2)).isEqualTo(2);
        assertThat(queues.poll(1, 0)).as("a runs on another worker").isEmpty();
        assertThat(ofA.worker()).isZero();
    }

    @Test
    void aTaskOfALargePoolIsNotComparedForAllWorkersAndAnyOfThemRunsIt() {
        WorkerQueues<String, TestTask> large = queues(SelectionPolicy.AFFINITY, 1_000, 100, 5);
        for (int i = 0; i < LeastLoaded.COMPARED; i++) {
            assertThat(add(large, TestTask.of("key-" + i, 0)).worker()).isEqualTo(i);
        }
        Entry<String, TestTask> further = add(large, TestTask.of("further", 0));

        assertThat(further.worker()).isZero();
        for (int i = 0; i < LeastLoaded.COMPARED; i++) {
            assertThat(large.poll(999 - i, 0)).hasSize(1);
        }
        assertThat(large.poll(1, 0)).containsExactly(further);
    }

    @Test
    void onlyWorkersThatThereAreAreCompared() {
        WorkerQueues<String, TestTask> large = queues(SelectionPolicy.AFFINITY, 1_000, 100, 5);
        large.among(2);
        assertThat(add(large, TestTask.of("a", 0)).worker()).isZero();
        assertThat(add(large, TestTask.of("b", 0)).worker()).isOne();
        assertThat(add(large, TestTask.of("c", 0)).worker()).isZero();

        large.among(3);
        assertThat(add(large, TestTask.of("d", 0)).worker()).isEqualTo(2);
    }

    @Test
    void whatIsOverdueIsTakenOutAlsoIfItsWorkerIsTakenAway() {
        queues.among(2);
        queues.add(new TestTask("a", 0, Priority.NORMAL, 90), 0);
        queues.add(new TestTask("b", 1, Priority.NORMAL, 10), 0);
        queues.among(1);

        assertThat(queues.takeOverdue(30, overdue)).hasValue(90);
        assertThat(overdue).extracting(each -> each.worker()).containsExactly(1);
        assertThat(queues.tasksOf(1)).isZero();
    }

    @Test
    void hashLeavesAKeyToItsWorker() {
        WorkerQueues<String, TestTask> hashed = queues(SelectionPolicy.HASH, 3, 100, 5);
        Entry<String, TestTask> entry = add(hashed, TestTask.of("a", 0));

        assertThat(hashed.poll((entry.worker() + 1) % 3, 0)).isEmpty();
        assertThat(hashed.poll(entry.worker(), 0)).containsExactly(entry);
    }

    @Test
    void keysTakeTurnsAlthoughOneOfThemAlwaysHasMore() {
        for (int i = 0; i < 7; i++) {
            queues.add(TestTask.of("a", i), 0);
        }
        queues.add(TestTask.of("b", 9), 0);

        assertThat(runNext(0)).isZero();
        assertThat(runNext(0)).isEqualTo(9);
        assertThat(runNext(0)).isEqualTo(5);
    }

    @Test
    void boundsRefuse() {
        WorkerQueues<String, TestTask> small =
                new WorkerQueues<>(new LeastLoaded(), new PoolConfig(2, 2, 3, 5, Duration.ofSeconds(1)));
        small.add(TestTask.of("a", 0), 0);
        small.add(TestTask.of("a", 1), 0);

        assertThat(small.add(TestTask.of("a", 2), 0)).isNull();
        assertThat(small.isFull()).isFalse();
        assertThat(small.add(TestTask.of("b", 0), 0)).isNotNull();
        assertThat(small.isFull()).isTrue();
    }

    @Test
    void whatIsOverdueIsTakenOutWhateverItsKeyAndPriorityAndTheEarliestDeadlineOfTheOthersIsTold() {
        queues.add(new TestTask("a", 0, Priority.NORMAL, 50), 0);
        queues.add(new TestTask("a", 1, Priority.NORMAL, 10), 0);
        queues.add(new TestTask("a", 2, Priority.LOW, 40), 0);
        queues.add(new TestTask("b", 3, Priority.NORMAL, 20), 0);

        assertThat(queues.takeOverdue(30, overdue)).hasValue(40);

        assertThat(overdue).extracting(each -> each.task().number).containsExactlyInAnyOrder(1, 3);
        assertThat(queues.waiting()).isEqualTo(2);
        assertThat(queues.pinnedKeys()).containsExactly("a");
        assertThat(queues.poll(0, 30)).extracting(each -> each.task().number).containsExactly(0);
    }

    /** While all workers are held up, nobody polls; each key that comes and expires would leave something behind. */
    @ParameterizedTest
    @EnumSource(SelectionPolicy.class)
    void keysWhoseTasksAreOverdueLeaveTheirQueues(SelectionPolicy policy) {
        WorkerQueues<String, TestTask> held = queues(policy, 3, 100, 5);
        held.add(new TestTask("a", 0, Priority.NORMAL, 10), 0);
        held.add(new TestTask("b", 1, Priority.LOW, 10), 0);
        held.add(new TestTask("c", 2, Priority.HIGH, 10), 0);

        assertThat(held.takeOverdue(30, overdue)).isEmpty();

        assertThat(overdue).hasSize(3);
        for (int worker = 0; worker < 3; worker++) {
            assertThat(held.hasReady(worker)).isFalse();
        }
    }

    @Test
    void aTaskIsNotOverdueAtItsDeadlineAndOneThatRunsIsNotTakenOut() {
        queues.add(new TestTask("a", 0, Priority.NORMAL, 30), 0);
        queues.add(new TestTask("b", 1, Priority.NORMAL, 10), 0);
        queues.poll(0, 0);

        assertThat(queues.takeOverdue(30, overdue)).isEmpty();
        assertThat(overdue).extracting(each -> each.task().number).containsExactly(1);
        assertThat(queues.takeOverdue(31, overdue)).isEmpty();
        assertThat(overdue).hasSize(1);
        assertThat(queues.running()).isOne();
    }

    @Test
    void whatHasBeenFoundOverdueIsToldAlthoughTheLookFails() {
        queues.add(new TestTask("a", 0, Priority.NORMAL, 10), 0);
        queues.add(new TestTask("b", 1, Priority.NORMAL, 10), 0);
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

    @Test
    void hashPutsAKeyAlwaysOnOneWorker() {
        WorkerQueues<String, TestTask> hashed = queues(SelectionPolicy.HASH, 3, 100, 5);
        for (int i = 0; i < 20; i++) {
            String key = "key-" + i;
            int worker = add(hashed, TestTask.of(key, 0)).worker();
            assertThat(add(hashed, TestTask.of(key, 0)).worker()).isEqualTo(worker);
        }
    }

    /** Partitions of a topic have consecutive hash codes, as letters have: they are to meet as often as any keys. */
    @Test
    void hashDoesNotSpreadConsecutiveHashCodesEvenly() {
        WorkerQueues<String, TestTask> hashed = queues(SelectionPolicy.HASH, 100, 1_000, 5);
        Set<Integer> workers = new HashSet<>();
        for (char letter = 'A'; letter < 'A' + 100; letter++) {
            workers.add(add(hashed, TestTask.of(String.valueOf(letter), 0)).worker());
        }
        assertThat(workers).hasSizeBetween(50, 76);
    }

    /**
     * A scheduler by hand: random submissions, polls, endings and expiries under virtual time, checked after each step.
     */
    @ParameterizedTest
    @EnumSource(SelectionPolicy.class)
    void promisesHoldInEverySchedule(SelectionPolicy policy) {
        long seed = Long.getLong("talos.test.seed.dispatch", System.nanoTime());
        System.out.println("WorkerQueuesTest -Dtalos.test.seed.dispatch=" + seed);
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int round = 0; round < 200; round++) {
            new Schedule(policy, seeds.split()).run(400);
        }
    }

    /** One random schedule. Confined: the test. */
    private static final class Schedule {
        private final SplittableRandom random;
        private final int workers;
        private final WorkerQueues<String, TestTask> queues;
        private final Map<Integer, List<Entry<String, TestTask>>> running = new HashMap<>();
        private final Set<Entry<String, TestTask>> waiting = new HashSet<>();
        private final Map<String, Integer> lastRun = new HashMap<>();
        private final List<TestTask> all = new ArrayList<>();
        private long now;

        Schedule(SelectionPolicy policy, SplittableRandom random) {
            this.random = random;
            workers = 1 + random.nextInt(5);
            queues = queues(policy, workers, 1_000, 1 + random.nextInt(4));
        }

        void run(int steps) {
            for (int step = 0; step < steps; step++) {
                now += random.nextLong(Duration.ofMillis(200).toNanos());
                switch (random.nextInt(4)) {
                    case 0, 1 -> submit();
                    case 2 -> poll(random.nextInt(workers));
                    default -> endOrExpire();
                }
                check();
            }
            for (int worker = 0; !waiting.isEmpty() || !running.isEmpty(); worker = (worker + 1) % workers) {
                end(worker);
                poll(worker);
            }
            assertThat(all).allMatch(task -> task.endings() == 1);
            assertThat(queues.pinnedKeys()).isEmpty();
        }

        private void submit() {
            String key = "k" + random.nextInt(4);
            Priority priority = PRIORITIES.get(random.nextInt(PRIORITIES.size()));
            TestTask task = new TestTask(key, all.size(), priority, Long.MAX_VALUE / 2);
            all.add(task);
            waiting.add(queues.add(task, now));
        }

        private void poll(int worker) {
            if (running.containsKey(worker)) {
                return;
            }
            List<Entry<String, TestTask>> batch = queues.poll(worker, now);
            if (batch.isEmpty()) {
                return;
            }
            String key = batch.get(0).task().key;
            Priority priority = batch.get(0).task().priority;
            assertThat(running.values())
                    .noneMatch(other -> other.get(0).task().key.equals(key));
            for (Entry<String, TestTask> entry : batch) {
                assertThat(entry.task().key).isEqualTo(key);
                assertThat(entry.task().priority).isEqualTo(priority);
                assertThat(waiting.remove(entry)).isTrue();
                int last = lastRun.getOrDefault(key + priority, -1);
                assertThat(entry.task().number).isGreaterThan(last);
                lastRun.put(key + priority, entry.task().number);
                entry.task().ran.incrementAndGet();
            }
            running.put(worker, batch);
        }

        private void endOrExpire() {
            if (random.nextBoolean() && !waiting.isEmpty()) {
                Entry<String, TestTask> victim = waiting.iterator().next();
                assertThat(queues.remove(victim)).isTrue();
                assertThat(queues.remove(victim)).isFalse();
                waiting.remove(victim);
                victim.task().expired();
            } else {
                end(random.nextInt(workers));
            }
        }

        private void end(int worker) {
            List<Entry<String, TestTask>> batch = running.remove(worker);
            if (batch != null) {
                queues.done(batch);
                assertThat(queues.remove(batch.get(0))).isFalse(); // it has run: nothing is left to expire
            }
        }

        private void check() {
            assertThat(queues.waiting()).isEqualTo(waiting.size());
            for (int worker = 0; worker < workers; worker++) {
                int mine = worker;
                long expected =
                        waiting.stream().filter(each -> each.worker() == mine).count()
                                + running.getOrDefault(worker, List.of()).size();
                assertThat(queues.tasksOf(worker)).isEqualTo((int) expected);
            }
            Map<String, Integer> workerOf = new HashMap<>();
            for (Entry<String, TestTask> each : waiting) {
                Integer other = workerOf.putIfAbsent(each.task().key, each.worker());
                assertThat(other == null || other == each.worker()).isTrue();
            }
        }
    }
}
