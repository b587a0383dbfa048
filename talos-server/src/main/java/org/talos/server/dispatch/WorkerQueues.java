// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.PoolConfig;

/**
 * Which worker runs which task and in what order: the policy of {@link KeyAffinityExecutor} without its threads and
 * without a clock.
 *
 * <p>A key with a task that waits or runs is pinned to that task's worker, so its tasks never run at once. The worker
 * of any other key is chosen by {@link WorkerSelection}.
 *
 * <p>Workers run keys in the order in which they became ready: with their first task, or at the end of a batch behind
 * which more had gathered. The worker that takes a key takes over all tasks that wait under it.
 *
 * <p>Thread-safe. What belongs to one key is changed under that key's pin; nothing is locked for all keys, because a
 * worker that loses its processor while it holds such a lock makes all others wait.
 */
final class WorkerQueues<K, T extends Task<K>> {
    private static final List<Priority> PRIORITIES = List.of(Priority.values());

    private final WorkerSelection selection;
    private final PoolConfig config;
    private final List<List<Queue<KeyLane<K, T>>>> ready; // by worker, then by priority
    private final int queues; // of workers; the others have the same
    private final AtomicIntegerArray tasksOf;
    private final ConcurrentHashMap<K, Pin<K, T>> pins = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger(); // batches
    private volatile int active; // workers that tasks are queued for

    WorkerQueues(WorkerSelection selection, PoolConfig config) {
        this.selection = selection;
        this.config = config;
        int most = selection.most(config.workers());
        tasksOf = new AtomicIntegerArray(most);
        ready = selection.readyQueues(most, WorkerQueues::queueOfEachPriority);
        queues = selection.mayRunElsewhere() ? 1 : most;
        active = config.workers().least();
    }

    private static <Q> List<Queue<Q>> queueOfEachPriority() {
        List<Queue<Q>> byPriority = new ArrayList<>();
        PRIORITIES.forEach(priority -> byPriority.add(new ConcurrentLinkedQueue<>()));
        return byPriority;
    }

    /** A task in its queue. */
    static final class Entry<K, T extends Task<K>> extends Chain.Link<Entry<K, T>> {
        private final T task;
        private final KeyLane<K, T> lane;
        private final long submittedNanos;

        private Entry(T task, KeyLane<K, T> lane, long submittedNanos) {
            this.task = task;
            this.lane = lane;
            this.submittedNanos = submittedNanos;
        }

        T task() {
            return task;
        }

        /** The worker that it is queued for; another may be free earlier and run it. */
        int worker() {
            return lane.pin.worker;
        }

        long submittedNanos() {
            return submittedNanos;
        }
    }

    /** The waiting tasks of a key with one priority. Confined: its pin's lock. */
    private static final class KeyLane<K, T extends Task<K>> {
        private final Pin<K, T> pin;
        private final int priority; // its place among them
        private final Chain<Entry<K, T>> waiting = new Chain<>();
        private final @Nullable KeyLane<K, T> next; // of its pin
        private boolean queued; // is or will at once be in a ready queue, whether it may be run or not

        KeyLane(Pin<K, T> pin, int priority, @Nullable KeyLane<K, T> next) {
            this.pin = pin;
            this.priority = priority;
            this.next = next;
        }

        /** Whether its key is bound no more: then nothing is ever queued in it again. */
        boolean isGone() {
            synchronized (pin) {
                return pin.gone;
            }
        }

        /** When its oldest task was submitted, or {@link Long#MAX_VALUE} if none of its tasks may be run now. */
        long readySinceNanos() {
            synchronized (pin) {
                Entry<K, T> oldest = waiting.first();
                return pin.running > 0 || oldest == null ? Long.MAX_VALUE : oldest.submittedNanos;
            }
        }
    }

    /** A key that is bound to a worker. Confined: its own lock; {@code worker} may be read without it. */
    private static final class Pin<K, T extends Task<K>> {
        private final K key;
        private @Nullable KeyLane<K, T> lanes; // those in which it had tasks: nearly always one
        private volatile int worker;
        private int waiting;
        private int running;
        private int onWorker; // those that run, unless a caller's thread runs them
        private boolean gone;

        Pin(K key, int worker) {
            this.key = key;
            this.worker = worker;
        }

        KeyLane<K, T> lane(int priority) {
            for (KeyLane<K, T> lane = lanes; lane != null; lane = lane.next) {
                if (lane.priority == priority) {
                    return lane;
                }
            }
            lanes = new KeyLane<>(this, priority, lanes);
            return lanes;
        }
    }

    /**
     * Queues tasks for so many workers from now on, those with the lowest numbers; what waits for others is run too.
     */
    void among(int workers) {
        active = workers;
    }

    /** Whether as many tasks wait as may; threads that ask at the same time may together exceed that. */
    boolean isFull() {
        return waiting.get() >= config.maxWaiting();
    }

    /** Queues a task behind its key; null if as many of the key wait as may. */
    @Nullable
    Entry<K, T> add(T task, long nowNanos) {
        while (true) {
            Pin<K, T> pin = pin(task.key());
            synchronized (pin) {
                if (!pin.gone) {
                    return pin.waiting >= config.maxWaitingPerKey() ? null : add(task, pin, nowNanos);
                }
            }
        }
    }

    /** Called under the lock of the pin. */
    private Entry<K, T> add(T task, Pin<K, T> pin, long nowNanos) {
        KeyLane<K, T> lane = pin.lane(PRIORITIES.indexOf(task.priority()));
        Entry<K, T> entry = new Entry<>(task, lane, nowNanos);
        lane.waiting.add(entry);
        pin.waiting++;
        tasksOf.incrementAndGet(pin.worker);
        waiting.incrementAndGet();
        queueIfReady(lane);
        return entry;
    }

    private Pin<K, T> pin(K key) {
        Pin<K, T> pin = pins.get(key);
        if (pin == null) {
            Pin<K, T> fresh = new Pin<>(key, selection.select(key, tasksOf, active));
            pin = pins.putIfAbsent(key, fresh);
            return pin == null ? fresh : pin;
        }
        return pin;
    }

    /** Called under the lock of the lane's pin. */
    private void queueIfReady(KeyLane<K, T> lane) {
        if (!lane.queued && lane.pin.running == 0 && !lane.waiting.isEmpty()) {
            lane.queued = true;
            ready.get(lane.pin.worker).get(lane.priority).add(lane);
        }
    }

    /** Removes a task that waits; false if it has been started, or removed before. */
    boolean remove(Entry<K, T> entry) {
        KeyLane<K, T> lane = entry.lane;
        Pin<K, T> pin = lane.pin;
        synchronized (pin) {
            if (!entry.isLinked()) {
                return false;
            }
            takeOut(entry);
            unpinIfIdle(pin);
            return true;
        }
    }

    /** Called under the lock of its pin. */
    private void takeOut(Entry<K, T> entry) {
        Pin<K, T> pin = entry.lane.pin;
        entry.lane.waiting.remove(entry);
        pin.waiting--;
        tasksOf.decrementAndGet(pin.worker);
        waiting.decrementAndGet();
    }

    /**
     * Takes out the tasks that wait although their deadline has passed; one that is queued meanwhile may be missed.
     * Keys of which none is left leave their queues too: while all workers are held up, nobody else takes them out.
     *
     * @param overdue gets them, also those that have been found before this throws
     * @return earliest deadline of those that go on waiting
     */
    OptionalLong takeOverdue(long nowNanos, Collection<Entry<K, T>> overdue) {
        Entry<K, T> earliest = null;
        for (Pin<K, T> pin : pins.values()) {
            synchronized (pin) {
                for (KeyLane<K, T> lane = pin.lanes; lane != null; lane = lane.next) {
                    earliest = takeOverdue(lane, nowNanos, overdue, earliest);
                }
                unpinIfIdle(pin);
            }
        }
        if (!overdue.isEmpty()) {
            takeOutGone();
        }
        return earliest == null ? OptionalLong.empty() : OptionalLong.of(earliest.task.deadlineNanos());
    }

    private void takeOutGone() {
        for (int worker = 0; worker < queues; worker++) {
            ready.get(worker).forEach(queue -> queue.removeIf(KeyLane::isGone));
        }
    }

    /** Called under the lock of the lane's pin; returns who has the earliest deadline of those that stay. */
    private @Nullable Entry<K, T> takeOverdue(
            KeyLane<K, T> lane, long nowNanos, Collection<Entry<K, T>> overdue, @Nullable Entry<K, T> earlier) {
        Entry<K, T> earliest = earlier;
        Entry<K, T> next;
        for (Entry<K, T> entry = lane.waiting.first(); entry != null; entry = next) {
            next = lane.waiting.after(entry);
            long deadline = entry.task.deadlineNanos();
            if (deadline - nowNanos < 0) {
                overdue.add(entry); // first: what is taken out and not told never ends
                takeOut(entry);
            } else if (earliest == null || deadline - earliest.task.deadlineNanos() < 0) {
                earliest = entry;
            }
        }
        return earliest;
    }

    /**
     * Takes the next batch of a worker: the tasks that wait under the first key of the most urgent priority, or of one
     * that has been passed over for too long. They count as running until {@link #done}.
     *
     * @return empty if no task waits that this worker may run
     */
    List<Entry<K, T>> poll(int worker, long nowNanos) {
        for (Queue<KeyLane<K, T>> first = first(worker, nowNanos); first != null; first = first(worker, nowNanos)) {
            KeyLane<K, T> lane = first.poll();
            List<Entry<K, T>> batch = lane == null ? List.of() : take(lane, worker);
            if (!batch.isEmpty()) {
                return batch;
            }
        }
        return List.of();
    }

    /** The only queue that is not empty, without a look at what is in it; else the one that is first among them. */
    private @Nullable Queue<KeyLane<K, T>> first(int worker, long nowNanos) {
        Queue<KeyLane<K, T>> only = null;
        for (Queue<KeyLane<K, T>> queue : ready.get(worker)) {
            if (!queue.isEmpty()) {
                if (only != null) {
                    return firstOfSeveral(worker, nowNanos);
                }
                only = queue;
            }
        }
        return only;
    }

    /** The most urgent queue, unless the head of another has been passed over for as long as the bound. */
    private @Nullable Queue<KeyLane<K, T>> firstOfSeveral(int worker, long nowNanos) {
        Queue<KeyLane<K, T>> first = null;
        long firstSince = Long.MAX_VALUE;
        for (Queue<KeyLane<K, T>> queue : ready.get(worker)) {
            long since = headSinceNanos(queue);
            if (since < firstSince && (first == null || starves(since, nowNanos))) {
                first = queue;
                firstSince = since;
            }
        }
        return first;
    }

    /** Since when the head waits. Removes heads that may not be run: behind them others could starve unseen. */
    private long headSinceNanos(Queue<KeyLane<K, T>> queue) {
        for (KeyLane<K, T> head = queue.peek(); head != null; head = queue.peek()) {
            long since = head.readySinceNanos();
            if (since != Long.MAX_VALUE) {
                return since;
            }
            if (queue.remove(head)) {
                synchronized (head.pin) {
                    head.queued = false;
                    queueIfReady(head);
                }
            }
        }
        return Long.MAX_VALUE;
    }

    private boolean starves(long sinceNanos, long nowNanos) {
        return nowNanos - sinceNanos >= config.starvationBound().toNanos();
    }

    /** Whether there may be a task that this worker may run. */
    boolean hasReady(int worker) {
        for (Queue<KeyLane<K, T>> queue : ready.get(worker)) {
            if (!queue.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Takes a batch from a lane that has left its ready queue; empty if none of its tasks may be run now. */
    private List<Entry<K, T>> take(KeyLane<K, T> lane, int worker) {
        Pin<K, T> pin = lane.pin;
        synchronized (pin) {
            lane.queued = false;
            if (pin.running > 0 || lane.waiting.isEmpty()) {
                return List.of();
            }
            List<Entry<K, T>> batch = takeOut(lane);
            if (pin.worker != worker) {
                tasksOf.addAndGet(pin.worker, -pin.waiting);
                tasksOf.addAndGet(worker, pin.waiting);
                pin.worker = worker;
            }
            pin.waiting -= batch.size();
            pin.running = batch.size();
            pin.onWorker = batch.size();
            running.incrementAndGet(); // before it is no longer counted as waiting, so that isQuiet never misses it
            waiting.addAndGet(-batch.size());
            return batch;
        }
    }

    /** Called under the lock of the lane's pin; at least one task waits. */
    private List<Entry<K, T>> takeOut(KeyLane<K, T> lane) {
        Entry<K, T> first = lane.waiting.first();
        if (first != null && (config.maxBatch() == 1 || lane.waiting.after(first) == null)) {
            lane.waiting.remove(first);
            return List.of(first);
        }
        List<Entry<K, T>> batch = new ArrayList<>(Math.min(lane.pin.waiting, config.maxBatch()));
        for (Entry<K, T> entry = first;
                entry != null && batch.size() < config.maxBatch();
                entry = lane.waiting.first()) {
            lane.waiting.remove(entry);
            batch.add(entry);
        }
        return batch;
    }

    /**
     * Starts a task that is to run on its caller's thread, as a batch of its own: if nothing waits at all, so that no
     * other is passed over, and none of its key runs. Tasks of its key that come meanwhile wait until {@link #done}.
     *
     * @return empty if the task has to be queued
     */
    List<Entry<K, T>> start(T task, long nowNanos) {
        K key = task.key();
        if (waiting.get() > 0 || pins.containsKey(key)) {
            return List.of();
        }
        Pin<K, T> pin = new Pin<>(key, selection.select(key, tasksOf, active));
        pin.running = 1;
        Entry<K, T> entry = new Entry<>(task, pin.lane(PRIORITIES.indexOf(task.priority())), nowNanos);
        if (pins.putIfAbsent(key, pin) != null) {
            return List.of();
        }
        running.incrementAndGet();
        return List.of(entry);
    }

    /**
     * Ends a batch that has run. Its key is unpinned once none of its tasks waits or runs.
     *
     * @return whether more of its key is ready now
     */
    boolean done(List<Entry<K, T>> batch) {
        Pin<K, T> pin = batch.get(0).lane.pin;
        boolean more;
        synchronized (pin) {
            pin.running = 0;
            if (pin.onWorker > 0) {
                tasksOf.addAndGet(pin.worker, -pin.onWorker);
                pin.onWorker = 0;
            }
            for (KeyLane<K, T> lane = pin.lanes; lane != null; lane = lane.next) {
                queueIfReady(lane);
            }
            more = pin.waiting > 0;
            unpinIfIdle(pin);
        }
        running.decrementAndGet();
        return more;
    }

    private void unpinIfIdle(Pin<K, T> pin) {
        if (pin.waiting == 0 && pin.running == 0) {
            pin.gone = true;
            pins.remove(pin.key, pin);
        }
    }

    /** Removes all tasks that wait, and returns them. */
    List<Entry<K, T>> drain() {
        List<Entry<K, T>> all = new ArrayList<>();
        for (Pin<K, T> pin : pins.values()) {
            synchronized (pin) {
                for (KeyLane<K, T> lane = pin.lanes; lane != null; lane = lane.next) {
                    for (Entry<K, T> entry = lane.waiting.first(); entry != null; entry = lane.waiting.first()) {
                        remove(entry);
                        all.add(entry);
                    }
                }
            }
        }
        return all;
    }

    int waiting() {
        return waiting.get();
    }

    /** Whether no task waits or runs. */
    boolean isQuiet() {
        return waiting.get() == 0 && running.get() == 0;
    }

    /** Number of running batches. */
    int running() {
        return running.get();
    }

    /** Number of waiting and running tasks of a worker. */
    int tasksOf(int worker) {
        return tasksOf.get(worker);
    }

    /** Number of keys of which tasks wait or run. */
    int keys() {
        return (int) Math.min(Integer.MAX_VALUE, pins.mappingCount());
    }

    /** Keys that are bound to a worker. */
    Collection<K> pinnedKeys() {
        return pins.keySet();
    }
}
