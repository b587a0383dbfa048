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

/**
 * Which worker runs which task and in what order: the policy of {@link KeyAffinityExecutor} without its threads and
 * without a clock.
 *
 * <p>A key has a pin from its first task on, and while one of its batches runs no other is taken, so its tasks never
 * run at once. Which workers may take one is decided by {@link WorkerSelection}.
 *
 * <p>Workers run keys in the order in which they became ready: with their first task, or at the end of a batch behind
 * which more had gathered.
 *
 * <p>Thread-safe. What belongs to one key is changed under that key's pin; nothing is locked for all keys, because a
 * worker that loses its processor while it holds such a lock makes all others wait.
 */
final class WorkerQueues<K, T extends Task<K>> {
    private static final List<Priority> PRIORITIES = List.of(Priority.values());

    private static final int KEPT_PINS = 2_048; // some hundred kilobytes

    private final WorkerSelection selection;
    private final PoolConfig config;
    private final List<List<Queue<KeyLane<K, T>>>> ready; // by worker, then by priority
    private final int queues; // of workers; the others have the same
    private final ConcurrentHashMap<K, Pin<K, T>> pins = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicBoolean forgetting = new AtomicBoolean();
    private final int keptPins;
    private volatile long mostPins;
    private volatile int active; // workers that tasks are queued for

    WorkerQueues(WorkerSelection selection, PoolConfig config) {
        this(selection, config, KEPT_PINS);
    }

    /**
     * Queues of which nothing waits.
     *
     * @param keptPins so many keys may be known of which nothing waits or runs, whatever else there is
     */
    WorkerQueues(WorkerSelection selection, PoolConfig config, int keptPins) {
        this.keptPins = keptPins;
        mostPins = keptPins;
        this.selection = selection;
        this.config = config;
        int most = selection.most(config.workers());
        ready = selection.readyQueues(most, WorkerQueues::queueOfEachPriority);
        queues = selection.mayRunElsewhere() ? 1 : most;
        active = config.workers().least();
    }

    private static <Q> List<Queue<Q>> queueOfEachPriority() {
        List<Queue<Q>> byPriority = new ArrayList<>();
        PRIORITIES.forEach(priority -> byPriority.add(new ConcurrentLinkedQueue<>()));
        return byPriority;
    }

    /** A task in its queue, or in a batch: the first one of a batch stands for all, which are linked. */
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

        /** The worker that it is queued for; others that have the same queue may run it too. */
        int worker() {
            return lane.pin.worker;
        }

        long submittedNanos() {
            return submittedNanos;
        }
    }

    /** The waiting tasks of a key with one priority. Confined: its pin's lock. */
    private static final class KeyLane<K, T extends Task<K>> extends Chain<Entry<K, T>> {
        private final Pin<K, T> pin;
        private final @Nullable KeyLane<K, T> next; // of its pin
        private final byte priority; // its place among them
        private boolean queued; // is or will at once be in a ready queue, whether it may be run or not

        KeyLane(Pin<K, T> pin, int priority, @Nullable KeyLane<K, T> next) {
            this.pin = pin;
            this.priority = (byte) priority;
            this.next = next;
        }

        /** Whether none of its tasks waits; then it counts as having left its queue. */
        boolean leavesEmpty() {
            synchronized (pin) {
                queued &= !isEmpty();
                return !queued;
            }
        }

        /** When its oldest task was submitted, or {@link Long#MAX_VALUE} if none of its tasks may be run now. */
        long readySinceNanos() {
            synchronized (pin) {
                Entry<K, T> oldest = first();
                return pin.runs || oldest == null ? Long.MAX_VALUE : oldest.submittedNanos;
            }
        }
    }

    /** A key of which tasks wait or run, or have lately. Confined: its own lock, but for what never changes. */
    private static final class Pin<K, T extends Task<K>> {
        private final K key;
        private final int worker;
        private @Nullable KeyLane<K, T> lanes; // those in which it had tasks: nearly always one
        private int waiting;
        private boolean runs;
        private boolean gone; // nothing is ever queued in its lanes again

        Pin(K key, int worker) {
            this.key = key;
            this.worker = worker;
        }

        boolean isIdle() {
            return waiting == 0 && !runs;
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
        lane.add(entry);
        pin.waiting++;
        waiting.incrementAndGet();
        queueIfReady(lane);
        return entry;
    }

    private Pin<K, T> pin(K key) {
        Pin<K, T> pin = pins.get(key);
        if (pin == null) {
            Pin<K, T> fresh = new Pin<>(key, selection.select(key, active));
            pin = pins.putIfAbsent(key, fresh);
            return pin == null ? fresh : pin;
        }
        return pin;
    }

    /** Called under the lock of the lane's pin. */
    private void queueIfReady(KeyLane<K, T> lane) {
        if (!lane.queued && !lane.pin.runs && !lane.isEmpty()) {
            lane.queued = true;
            ready.get(lane.pin.worker).get(lane.priority).add(lane);
        }
    }

    /** Removes a task that waits; false if it has been started, or removed before. Costs what waits of its key. */
    boolean remove(Entry<K, T> entry) {
        Pin<K, T> pin = entry.lane.pin;
        synchronized (pin) {
            return entry.lane.removeIf(each -> each == entry && isTakenOut(pin));
        }
    }

    /** Counts a task as no longer waiting; called under the lock of its pin. True. */
    private boolean isTakenOut(Pin<K, T> pin) {
        pin.waiting--;
        waiting.decrementAndGet();
        return true;
    }

    /**
     * Takes out the tasks that wait although their deadline has passed; one that is queued meanwhile may be missed.
     * Keys of which none is left leave their queues too: while all workers are held up, nobody else takes them out.
     *
     * @param overdue gets them, also those that have been found before this throws
     * @return earliest deadline of those that go on waiting
     */
    OptionalLong takeOverdue(long nowNanos, Collection<Entry<K, T>> overdue) {
        Overdue look = new Overdue(nowNanos, overdue);
        for (Pin<K, T> pin : pins.values()) {
            synchronized (pin) {
                for (KeyLane<K, T> lane = pin.lanes; lane != null; lane = lane.next) {
                    lane.removeIf(look);
                }
            }
        }
        if (!overdue.isEmpty()) {
            takeOutEmpty();
            forgetIdle();
        }
        return look.earliest == null ? OptionalLong.empty() : OptionalLong.of(look.earliest.task.deadlineNanos());
    }

    /** Finds who is overdue, and the earliest deadline of the others. Confined: one look. */
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
            long deadline = entry.task.deadlineNanos();
            if (deadline - nowNanos < 0) {
                found.add(entry); // first: what is taken out and not told never ends
                return isTakenOut(entry.lane.pin);
            }
            if (earliest == null || deadline - earliest.task.deadlineNanos() < 0) {
                earliest = entry;
            }
            return false;
        }
    }

    private void takeOutEmpty() {
        for (int worker = 0; worker < queues; worker++) {
            ready.get(worker).forEach(queue -> queue.removeIf(KeyLane::leavesEmpty));
        }
    }

    /**
     * Takes the next batch of a worker: the tasks that wait under the first key of the most urgent priority, or of one
     * that has been passed over for too long. They count as running until {@link #done}.
     *
     * @return its first task; null if none waits that this worker may run
     */
    @Nullable
    Entry<K, T> poll(int worker, long nowNanos) {
        for (Queue<KeyLane<K, T>> first = first(worker, nowNanos); first != null; first = first(worker, nowNanos)) {
            KeyLane<K, T> lane = first.poll();
            Entry<K, T> batch = lane == null ? null : take(lane);
            if (batch != null) {
                return batch;
            }
        }
        return null;
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

    /** Takes a batch from a lane that has left its ready queue; null if none of its tasks may be run now. */
    private @Nullable Entry<K, T> take(KeyLane<K, T> lane) {
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
     * Starts a task that is to run on its caller's thread, as a batch of its own: if nothing waits at all, so that no
     * other is passed over, and none of its key runs. Tasks of its key that come meanwhile wait until {@link #done}.
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
            pin.runs = true;
            return new Entry<>(task, pin.lane(PRIORITIES.indexOf(task.priority())), nowNanos);
        }
    }

    /**
     * Ends a batch that has run.
     *
     * @return whether more of its key is ready now
     */
    boolean done(Entry<K, T> batch) {
        Pin<K, T> pin = batch.lane.pin;
        boolean more;
        synchronized (pin) {
            pin.runs = false;
            for (KeyLane<K, T> lane = pin.lanes; lane != null; lane = lane.next) {
                queueIfReady(lane);
            }
            more = pin.waiting > 0;
        }
        forgetIdle();
        return more;
    }

    /**
     * Takes out the pins of keys of which nothing waits or runs, once there are many of any: most keys come again, and
     * to make and take out a pin for each task costs more than its queue does. The next time is when there are twice as
     * many as are left, so that each pin pays for one look.
     */
    private void forgetIdle() {
        if (pins.mappingCount() <= mostPins || !forgetting.compareAndSet(false, true)) {
            return;
        }
        try {
            for (Pin<K, T> pin : pins.values()) {
                synchronized (pin) {
                    if (pin.isIdle()) {
                        pin.gone = true;
                        pins.remove(pin.key, pin);
                    }
                }
            }
            mostPins = Math.max(keptPins, 2 * pins.mappingCount());
        } finally {
            forgetting.set(false);
        }
    }

    /** Removes all tasks that wait, and returns them. */
    List<Entry<K, T>> drain() {
        List<Entry<K, T>> all = new ArrayList<>();
        for (Pin<K, T> pin : pins.values()) {
            synchronized (pin) {
                for (KeyLane<K, T> lane = pin.lanes; lane != null; lane = lane.next) {
                    lane.removeIf(entry -> all.add(entry) && isTakenOut(pin));
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
        return waiting.get() == 0 && running() == 0;
    }

    /** Number of running batches. */
    int running() {
        return count(pin -> pin.runs);
    }

    /** Number of keys of which tasks wait or run. */
    int keys() {
        return count(pin -> !pin.isIdle());
    }

    /** Looks at all keys: whoever counted them as they come would write to what all workers write to. */
    private int count(Predicate<Pin<K, T>> which) {
        int count = 0;
        for (Pin<K, T> pin : pins.values()) {
            synchronized (pin) {
                count += which.test(pin) ? 1 : 0;
            }
        }
        return count;
    }

    /** Number of keys that have a pin: of which tasks wait or run, or have lately. */
    int pins() {
        return pins.size();
    }
}
