// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the promises of the executor's policy, in random schedules. */
class WorkerQueuesScheduleTest {
    private static final List<Priority> PRIORITIES = List.of(Priority.values());

    /**
     * A scheduler by hand: random submissions, polls, endings and expiries under virtual time, checked after each step.
     */
    @ParameterizedTest
    @EnumSource(TestSelection.class)
    void promisesHoldInEverySchedule(TestSelection selection) {
        long seed = Long.getLong("talos.test.seed.dispatch", System.nanoTime());
        System.out.println("WorkerQueuesScheduleTest -Dtalos.test.seed.dispatch=" + seed);
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int round = 0; round < 200; round++) {
            new Schedule(selection, seeds.split()).run(400);
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

        Schedule(TestSelection selection, SplittableRandom random) {
            this.random = random;
            workers = 1 + random.nextInt(5);
            queues = WorkerQueuesTest.queues(selection, workers, 1_000, 1 + random.nextInt(4));
        }

        void run(int steps) {
            for (int step = 0; step < steps; step++) {
                now += random.nextLong(Duration.ofMillis(200).toNanos());
                switch (random.nextInt(10)) {
                    case 0, 1, 2, 3 -> submit();
                    case 4, 5 -> poll(random.nextInt(workers));
                    case 6, 7 -> endOrExpire();
                    case 8 -> start(-1 - random.nextInt(workers));
                    default -> takeOverdue();
                }
                check();
            }
            for (int worker = 0; !waiting.isEmpty() || !running.isEmpty(); worker = (worker + 1) % workers) {
                end(worker);
                end(-1 - worker);
                poll(worker);
                check();
            }
            assertThat(all).allMatch(task -> task.endings() == 1);
            assertThat(queues.isQuiet()).isTrue();
        }

        private void submit() {
            String key = "k" + random.nextInt(4);
            Priority priority = PRIORITIES.get(random.nextInt(PRIORITIES.size()));
            long deadline = random.nextInt(4) == 0 ? now + Duration.ofSeconds(1).toNanos() : Long.MAX_VALUE / 2;
            TestTask task = new TestTask(key, all.size(), priority, deadline);
            all.add(task);
            waiting.add(WorkerQueuesTest.add(queues, task, now));
        }

        private void poll(int worker) {
            if (running.containsKey(worker)) {
                return;
            }
            List<Entry<String, TestTask>> batch = WorkerQueuesTest.all(queues.poll(worker, now));
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
                end(random.nextInt(2 * workers) - workers);
            }
        }

        /** On a thread of its caller, of which there are as many as workers; their numbers are below 0. */
        private void start(int caller) {
            String key = "k" + random.nextInt(4);
            TestTask task = new TestTask(key, all.size(), Priority.NORMAL, Long.MAX_VALUE / 2);
            Entry<String, TestTask> started = running.containsKey(caller) ? null : queues.start(task, now);
            if (started != null) {
                assertThat(waiting).isEmpty();
                assertThat(running.values())
                        .noneMatch(batch -> batch.get(0).task().key.equals(key));
                all.add(task);
                task.ran.incrementAndGet();
                lastRun.put(key + Priority.NORMAL, task.number);
                running.put(caller, List.of(started));
            }
        }

        private void takeOverdue() {
            List<Entry<String, TestTask>> found = new ArrayList<>();
            var unused = queues.takeOverdue(now, found);
            assertThat(waiting).containsAll(found);
            found.forEach(waiting::remove);
            assertThat(waiting).noneMatch(each -> each.task().deadlineNanos() < now);
            found.forEach(each -> each.task().expired());
        }

        private void end(int worker) {
            List<Entry<String, TestTask>> batch = running.remove(worker);
            if (batch != null) {
                queues.done(batch.get(0));
                assertThat(queues.remove(batch.get(0))).isFalse(); // it has run: nothing is left to expire
            }
        }

        private void check() {
            assertThat(queues.waiting()).isEqualTo(waiting.size());
            assertThat(queues.running()).isEqualTo(running.size());
            Set<String> runningKeys = new HashSet<>();
            for (List<Entry<String, TestTask>> batch : running.values()) {
                runningKeys.add(batch.get(0).task().key);
            }
            for (Entry<String, TestTask> each : waiting) { // of many: an assertion for each would take most of the time
                if (!runningKeys.contains(each.task().key) && !queues.hasReady(each.worker())) {
                    throw new AssertionError(each.task().key + " waits, does not run, and no worker has it ready");
                }
            }
        }
    }
}
