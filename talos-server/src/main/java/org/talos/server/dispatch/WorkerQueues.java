// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.PoolConfig;
import org.talos.server.dispatch.Pin.Lane;

/**
 * Decides which worker runs which task, and in what order: the policy of {@link KeyAffinityExecutor} without its
 * threads and without a clock.
 *
 * <p>A key has a pin from its first task on. While one of its batches runs, no other is taken, so its tasks never run
 * at once. {@link WorkerSelection} decides which workers may take a batch.
 *
 * <p>Workers run keys in the order in which they became ready: with their first task, or at the end of a batch behind
 * which more had accumulated.
 *
 * <p>Thread-safe. The state of a key is changed under that key's pin. There is no lock for all keys, because a worker
 * that loses its processor while it holds such a lock makes all others wait.
 */
final class WorkerQueues<K, T extends Task<K>> {
    private static final List<Priority> PRIORITIES = List.of(Priority.values());

    private static final int KEPT_PINS = 2_048; // some hundred kilobytes

    private final WorkerSelection selection;
    private final PoolConfig config;
    private final List<List<Queue<Lane<K, T>>>> ready; // by worker, then by priority
    private final ConcurrentHashMap<K, Pin<K, T>> pins = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicBoolean forgetting = new AtomicBoolean();
    private final int keptPins;
    private volatile long mostPins;

    WorkerQueues(WorkerSelection selection, PoolConfig config) {
        this(selection, config, KEPT_PINS);
    }

    /**
     * Queues of which nothing waits.
     *
     * @param keptPins number of idle keys that may be remembered, or twice the number of active keys at the last scan
     */
    WorkerQueues(WorkerSelection selection, PoolConfig config, int keptPins) {
        this.keptPins = keptPins;
        mostPins = keptPins;
        this.selection = selection;
        this.config = config;
        ready = selection.readyQueues(selection.most(config.workers()), WorkerQueues::queueOfEachPriority);
    }

    private static <Q> List<Queue<Q>> queueOfEachPriority() {
        List<Queue<Q>> byPriority = new ArrayList<>();
        PRIORITIES.forEach(priority -> byPriority.add(new ConcurrentLinkedQueue<>()));
        return byPriority;
    }

    /** Reserves a place for a task that will be added; returns false if the queue is full. */
    boolean reserve() {
        if (waiting.incrementAndGet() <= config.maxWaiting()) {
            return true;
        }
        waiting.decrementAndGet();
        return false;
    }

    /**
     * Queues a task behind its key, in the place reserved for it; returns null if the key has too many waiting tasks.
     */
    @Nullable
    Entry<K, T> add(T task, long nowNanos) {
        Entry<K, T> added = null;
        try {
            added = addToKey(task, nowNanos);
            return added;
        } finally { // also without memory for it
            if (added == null) {
                waiting.decrementAndGet();
            }
        }
    }

    private @Nullable Entry<K, T> addToKey(T task, long nowNanos) {
        while (true) {
            Pin<K, T> pin = pin(task.key());
            synchronized (pin) {
                if (!pin.gone) {
                    return pin.waiting >= config.maxWaitingPerKey() ? null : addTo(pin, task, nowNanos);
                }
            }
        }
    }

    /** Called under the lock of the pin. Without memory for it nothing has changed. */
    private Entry<K, T> addTo(Pin<K, T> pin, T task, long nowNanos) {
        Lane<K, T> lane = pin.lane(PRIORITIES.indexOf(task.priority()));
        Entry<K, T> entry = new Entry<>(task, lane, nowNanos);
        queueUnlessRuns(lane);
        lane.add(entry);
        pin.waiting++;
        return entry;
    }

    private Pin<K, T> pin(K key) {
        Pin<K, T> pin = pins.get(key);
        if (pin == null) {
            if (pins.mappingCount() >= mostPins) {
                forgetIdle();
            }
            Pin<K, T> fresh = new Pin<>(key, selection.select(key, ready.size()));
            pin = pins.putIfAbsent(key, fresh);
            return pin == null ? fresh : pin;
        }
        return pin;
    }

    /**
     * Removes the pins of idle keys. Most keys come again, and creating and removing a pin for each task costs more
     * than its queue does. So this is done only once there are many, and next when there are twice as many as remain:
     * each pin pays for two scans.
     */
    private void forgetIdle() {
        if (!forgetting.compareAndSet(false, true)) {
            return;
        }
        try {
            for (Pin<K, T> pin : pins.values()) {
                synchronized (pin) {
                    if (pin.isIdle()) {
                        pins.remove(pin.key, pin);
                        pin.gone = true; // only now: a thread that adds a task to a removed pin looks for another
                    }
                }
            }
            mostPins = Math.max(keptPins, 2 * pins.mappingCount());
        } finally {
            forgetting.set(false);
        }
    }

    /** Called under the lock of the lane's pin, with a task in it or about to be. */
    private void queueUnlessRuns(Lane<K, T> lane) {
        if (!lane.queued && !lane.pin.runs) {
            ready.get(lane.pin.worker).get(lane.priority).add(lane);
            lane.queued = true; // only now: if memory is short, the thread that adds the next task tries again
        }
    }

    /**
     * Removes a waiting task; returns false if it was started or removed before. The cost grows with the waiting tasks
     * of its key.
     */
    boolean remove(Entry<K, T> entry) {
        Pin<K, T> pin = entry.lane().pin;
        synchronized (pin) {
            boolean waits = entry.lane().removeIf(each -> each == entry);
            if (waits) {
                takenOut(pin);
            }
            return waits;
        }
    }

    /** Counts a task as no longer waiting. Called under the lock of its pin. */
    private void takenOut(Pin<K, T> pin) {
        pin.waiting--;
        waiting.decrementAndGet();
    }

    /**
     * Removes the waiting tasks whose deadline has passed; a task that is queued concurrently may be missed. Keys
     * without tasks leave their queues too: while all workers are blocked, nothing else removes them. After a flood of
     * keys, no more keys are remembered than before.
     *
     * @param overdue receives the tasks, including those that were found before this method throws
     * @return earliest deadline of the remaining tasks
     */
    OptionalLong takeOverdue(long nowNanos, Collection<Entry<K, T>> overdue) {
        Overdue look = new Overdue(nowNanos, overdue);
        for (Pin<K, T> pin : pins.values()) {
            synchronized (pin) {
                for (Lane<K, T> lane = pin.isIdle() ? null : pin.lanes; lane != null; lane = lane.next) {
                    lane.removeIf(look);
                }
            }
        }
        if (!overdue.isEmpty()) {
            takeOutEmpty();
        }
        if (pins.mappingCount() > keptPins) {
            forgetIdle();
        }
        return look.earliest == null
                ? OptionalLong.empty()
                : OptionalLong.of(look.earliest.task().deadlineNanos());
    }

    /** Finds the overdue tasks, and the earliest deadline of the others. Confined: one scan. */
    private final class Overdue implements Predicate<Entry<K, T>> {
        private final long nowNanos;
        private final Collection<Entry<K, T>> found;
        private @Nullable Entry<K, T> earliest;

        Overdue(long nowNanos, Collection<Entry<K, T>> found) {
            this.nowNanos = nowNanos;
            this.found = found;
        }

        @Override
        public boolean test(Entry<K, T> entry) {
            long deadline = entry.task().deadlineNanos();
            if (deadline - nowNanos < 0) {
                found.add(entry); // first: a task that is removed and not reported never ends
                takenOut(entry.lane().pin);
                return true;
            }
            if (earliest == null || deadline - earliest.task().deadlineNanos() < 0) {
                earliest = entry;
            }
            return false;
        }
    }

    private void takeOutEmpty() {
        int queues = selection.mayRunElsewhere() ? 1 : ready.size(); // the others are the same
        for (int worker = 0; worker < queues; worker++) {
            ready.get(worker).forEach(queue -> queue.removeIf(Lane::leaveIfEmpty));
        }
    }

    /**
     * Takes the next batch of a worker: the waiting tasks of the first key of the most urgent priority, or of a
     * priority that has been skipped for too long. They count as running until {@link #done}.
     *
     * @return its first task; null if none waits that this worker may run
     */
    @Nullable
    Entry<K, T> poll(int worker, long nowNanos) {
        for (Queue<Lane<K, T>> first = first(worker, nowNanos); first != null; first = first(worker, nowNanos)) {
            Lane<K, T> lane = first.poll();
            Entry<K, T> batch = lane == null ? null : take(lane);
            if (batch != null) {
                return batch;
            }
        }
        return null;
    }

    /**
     * Returns the only queue that is not empty, without examining its contents; of several, the one with the first
     * task.
     */
    private @Nullable Queue<Lane<K, T>> first(int worker, long nowNanos) {
        Queue<Lane<K, T>> only = null;
        for (Queue<Lane<K, T>> queue : ready.get(worker)) {
            if (!queue.isEmpty()) {
                if (only != null) {
                    return firstOfSeveral(worker, nowNanos);
                }
                only = queue;
            }
        }
        return only;
    }

    /** Returns the most urgent queue, unless the head of another has been skipped for as long as the bound. */
    private @Nullable Queue<Lane<K, T>> firstOfSeveral(int worker, long nowNanos) {
        Queue<Lane<K, T>> first = null;
        long firstSince = Long.MAX_VALUE;
        for (Queue<Lane<K, T>> queue : ready.get(worker)) {
            long since = headSinceNanos(queue);
            if (since < firstSince && (first == null || starves(since, nowNanos))) {
                first = queue;
                firstSince = since;
            }
        }
        return first;
    }

    /**
     * Returns the time since which the head waits. Removes heads that may not run: others could starve unseen behind
     * them.
     */
    private long headSinceNanos(Queue<Lane<K, T>> queue) {
        for (Lane<K, T> head = queue.peek(); head != null; head = queue.peek()) {
            long since = head.readySinceNanos();
            if (since != Long.MAX_VALUE) {
                return since;
            }
            if (queue.remove(head)) {
                synchronized (head.pin) {
                    head.queued = false;
                    if (!head.isEmpty()) {
                        queueUnlessRuns(head);
                    }
                }
            }
        }
        return Long.MAX_VALUE;
    }

    private boolean starves(long sinceNanos, long nowNanos) {
        return nowNanos - sinceNanos >= config.starvationBound().toNanos();
    }

    /** Returns whether there may be a task that this worker may run. */
    boolean hasReady(int worker) {
        for (Queue<Lane<K, T>> queue : ready.get(worker)) {
            if (!queue.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Takes a batch from a lane that has left its ready queue; returns null if none of its tasks may run now. */
    private @Nullable Entry<K, T> take(Lane<K, T> lane) {
        Pin<K, T> pin = lane.pin;
        synchronized (pin) {
            lane.queued = false;
            if (pin.runs || lane.isEmpty()) {
                return null;
            }
            Entry<K, T> batch = lane.takeFirst(config.maxBatch());
            int tasks = Chain.length(batch);
            pin.waiting -= tasks;
            pin.runs = true; // before it is no longer counted as waiting, so that isQuiet never misses it
            waiting.addAndGet(-tasks);
            return batch;
        }
    }

    /**
     * Starts a task on its caller's thread, as a batch of its own: if no task waits at all, so that none is overtaken,
     * and none of its key runs. Later tasks of its key wait until {@link #done}.
     *
     * @return null if the task has to be queued
     */
    @Nullable
    Entry<K, T> start(T task, long nowNanos) {
        if (waiting.get() > 0) {
            return null;
        }
        Pin<K, T> pin = pin(task.key());
        synchronized (pin) {
            if (pin.gone || !pin.isIdle()) {
                return null;
            }
            Entry<K, T> entry = new Entry<>(task, pin.lane(PRIORITIES.indexOf(task.priority())), nowNanos);
            pin.runs = true; // only now: if memory is short, nothing would end it
            return entry;
        }
    }

    /**
     * Ends a batch that has run.
     *
     * @return whether more of its key is ready now
     */
    boolean done(Entry<K, T> batch) {
        Pin<K, T> pin = batch.lane().pin;
        synchronized (pin) {
            pin.runs = false;
            for (Lane<K, T> lane = pin.lanes; lane != null; lane = lane.next) {
                if (!lane.isEmpty()) {
                    queueUnlessRuns(lane);
                }
            }
            return pin.waiting > 0;
        }
    }

    /**
     * Removes all tasks that wait.
     *
     * @param drained receives the tasks, including those that were found before this method throws
     */
    void drain(Collection<Entry<K, T>> drained) {
        for (Pin<K, T> pin : pins.values()) {
            synchronized (pin) {
                for (Lane<K, T> lane = pin.lanes; lane != null; lane = lane.next) {
                    lane.removeIf(entry -> {
                        drained.add(entry);
                        takenOut(pin);
                        return true;
                    });
                }
            }
        }
    }

    int waiting() {
        return waiting.get();
    }

    /** Returns whether no task waits or runs. */
    boolean isQuiet() {
        return waiting.get() == 0 && running() == 0;
    }

    /** Returns the number of running batches. */
    int running() {
        return count(pin -> pin.runs);
    }

    /** Returns the number of keys with waiting or running tasks. */
    int keys() {
        return count(pin -> !pin.isIdle());
    }

    /** Examines all keys: a running count would be a variable that all workers write to. */
    private int count(Predicate<Pin<K, T>> which) {
        int count = 0;
        for (Pin<K, T> pin : pins.values()) {
            synchronized (pin) {
                count += which.test(pin) ? 1 : 0;
            }
        }
        return count;
    }

    /** Returns the number of keys with a pin: with waiting or running tasks, or recent ones. */
    int pins() {
        return pins.size();
    }
}
