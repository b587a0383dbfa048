// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.DispatchConfig.SelectionPolicy;
import org.talos.server.config.PoolConfig;

/**
 * Which worker runs which task and in what order: the policy of {@link KeyAffinityExecutor} without its threads and
 * without a clock.
 *
 * <p>A key with a task that waits or runs is pinned to that task's worker, so its tasks never run at once. Otherwise a
 * task goes to the worker with the fewest tasks, counting the running ones (or a busy worker would look as free as an
 * idle one), ties to the lowest number, so that few workers stay hot.
 *
 * <p>A worker runs keys in the order in which they became ready: with their first task, or at the end of a batch behind
 * which more had gathered. With affinity all workers look at the same keys, and whoever is free first takes the next
 * one over with all that waits of it, so that no key waits behind a long task of another while a worker has nothing to
 * do. With hash a worker sees its own keys only.
 *
 * <p>Thread-safe. What belongs to one key is changed under that key's pin; nothing is locked for all keys, because a
 * worker that loses its processor while it holds such a lock makes all others wait.
 */
final class WorkerQueues<K, T extends Task<K>> {
    private static final List<Priority> PRIORITIES = List.of(Priority.values());

    private final SelectionPolicy policy;
    private final PoolConfig config;
    private final List<List<Queue<KeyLane<K, T>>>> ready = new ArrayList<>(); // of each worker, or of all, by priority
    private final AtomicIntegerArray tasksOf;
    private final ConcurrentHashMap<K, Pin<K, T>> pins = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger(); // batches

    WorkerQueues(SelectionPolicy policy, PoolConfig config) {
        this.policy = policy;
        this.config = config;
        tasksOf = new AtomicIntegerArray(config.workers());
        for (int i = 0; i < (policy == SelectionPolicy.HASH ? config.workers() : 1); i++) {
            List<Queue<KeyLane<K, T>>> byPriority = new ArrayList<>();
            PRIORITIES.forEach(priority -> byPriority.add(new ConcurrentLinkedQueue<>()));
            ready.add(byPriority);
        }
    }

    /** A task in its queue. */
    static final class Entry<K, T extends Task<K>> extends Chain.Link<Entry<K, T>> {
        private final T task;
        private final KeyLane<K, T> lane;
        private final long submittedNanos;
        private volatile TimerTicket ticket = TimerTicket.NONE;

        private Entry(T task, KeyLane<K, T> lane, long submittedNanos) {
            this.task = task;
            this.lane = lane;
            this.submittedNanos = submittedNanos;
        }

        T task() {
            return task;
        }

        /** Who will run it, unless another worker is free earlier. */
        int worker() {
            return lane.pin.worker;
        }

        long submittedNanos() {
            return submittedNanos;
        }

        /** Says what to cancel when it leaves its queue; whoever takes it out may have been here before. */
        void ticket(TimerTicket given) {
            ticket = given;
            if (!isLinked()) {
                given.cancel();
            }
        }

        TimerTicket ticket() {
            return ticket;
        }
    }

    /** Where a task's expiry can be called off, also twice. */
    @FunctionalInterface
    interface TimerTicket {
        TimerTicket NONE = () -> {};

        void cancel();
    }

    /** The waiting tasks of a key with one priority. Confined: its pin's lock, but for what is volatile. */
    private static final class KeyLane<K, T extends Task<K>> {
        private final Pin<K, T> pin;
        private final int priority; // its place among them
        private final Chain<Entry<K, T>> waiting = new Chain<>();
        private boolean queued; // is or will at once be in a ready queue, whether it may be run or not

        KeyLane(Pin<K, T> pin, int priority) {
            this.pin = pin;
            this.priority = priority;
        }

        /** Since when it waits, or {@link Long#MAX_VALUE} if nothing of it may be run. */
        long readySinceNanos() {
            synchronized (pin) {
                Entry<K, T> oldest = waiting.first();
                return pin.running > 0 || oldest == null ? Long.MAX_VALUE : oldest.submittedNanos;
            }
        }
    }

    /** A key that is bound to a worker. Confined: its own lock, but for what is volatile. */
    private static final class Pin<K, T extends Task<K>> {
        private final K key;
        private final List<KeyLane<K, T>> lanes = new ArrayList<>(1); // those it had tasks in: nearly always one
        private volatile int worker;
        private int waiting;
        private int running;
        private boolean gone;

        Pin(K key, int worker) {
            this.key = key;
            this.worker = worker;
        }

        KeyLane<K, T> lane(int priority) {
            for (KeyLane<K, T> lane : lanes) {
                if (lane.priority == priority) {
                    return lane;
                }
            }
            KeyLane<K, T> lane = new KeyLane<>(this, priority);
            lanes.add(lane);
            return lane;
        }
    }

    /** Whether a task of this key is within the bounds; those who ask at once may each be the last within them. */
    Submission admit(K key) {
        if (waiting.get() >= config.maxWaiting()) {
            return Submission.REFUSED_FULL;
        }
        Pin<K, T> pin = pins.get(key);
        if (pin == null) {
            return Submission.ACCEPTED;
        }
        synchronized (pin) {
            return pin.waiting >= config.maxWaitingPerKey() ? Submission.REFUSED_KEY_FULL : Submission.ACCEPTED;
        }
    }

    /** Queues an admitted task behind its key. */
    Entry<K, T> add(T task, long nowNanos) {
        while (true) {
            Pin<K, T> pin = pin(task.key());
            synchronized (pin) {
                if (!pin.gone) {
                    KeyLane<K, T> lane = pin.lane(PRIORITIES.indexOf(task.priority()));
                    Entry<K, T> entry = new Entry<>(task, lane, nowNanos);
                    lane.waiting.add(entry);
                    pin.waiting++;
                    tasksOf.incrementAndGet(pin.worker);
                    waiting.incrementAndGet();
                    queueIfReady(lane);
                    return entry;
                }
            }
        }
    }

    private Pin<K, T> pin(K key) {
        Pin<K, T> pin = pins.get(key);
        if (pin == null) {
            Pin<K, T> fresh = new Pin<>(key, select(key));
            pin = pins.putIfAbsent(key, fresh);
            return pin == null ? fresh : pin;
        }
        return pin;
    }

    /** Under its pin's lock. */
    private void queueIfReady(KeyLane<K, T> lane) {
        if (!lane.queued && lane.pin.running == 0 && !lane.waiting.isEmpty()) {
            lane.queued = true;
            readyOf(lane.pin.worker).get(lane.priority).add(lane);
        }
    }

    private List<Queue<KeyLane<K, T>>> readyOf(int worker) {
        return ready.get(policy == SelectionPolicy.HASH ? worker : 0);
    }

    private int select(K key) {
        return policy == SelectionPolicy.HASH ? Math.floorMod(mixed(key.hashCode()), tasksOf.length()) : leastLoaded();
    }

    /** Hash codes of a topic's partitions are consecutive: without this they would never meet, by accident. */
    private static int mixed(int hash) {
        int mixed = (hash ^ (hash >>> 16)) * 0x85ebca6b; // MurmurHash3's finaliser
        mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
        return mixed ^ (mixed >>> 16);
    }

    private int leastLoaded() {
        int least = 0;
        int leastTasks = tasksOf.get(0);
        for (int worker = 1; worker < tasksOf.length() && leastTasks > 0; worker++) {
            int tasks = tasksOf.get(worker);
            if (tasks < leastTasks) {
                least = worker;
                leastTasks = tasks;
            }
        }
        return least;
    }

    /** Takes a task out that has not been started; false if it has, or is gone. */
    boolean remove(Entry<K, T> entry) {
        KeyLane<K, T> lane = entry.lane;
        Pin<K, T> pin = lane.pin;
        synchronized (pin) {
            if (!entry.isLinked()) {
                return false;
            }
            lane.waiting.remove(entry);
            pin.waiting--;
            tasksOf.decrementAndGet(pin.worker);
            waiting.decrementAndGet();
            unpinIfIdle(pin);
            return true;
        }
    }

    /**
     * The next batch of a worker: the first key of the most urgent lane, or of one that has been passed over for too
     * long, and what waits of it with the same priority. They run from here on, until {@link #done}.
     *
     * @return empty if nothing waits that this worker may run
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

    /** The most urgent queue, unless the head of another has been passed over for as long as the bound. */
    private @Nullable Queue<KeyLane<K, T>> first(int worker, long nowNanos) {
        Queue<KeyLane<K, T>> first = null;
        long firstSince = Long.MAX_VALUE;
        for (Queue<KeyLane<K, T>> queue : readyOf(worker)) {
            long since = headSinceNanos(queue);
            if (since < firstSince && (first == null || starves(since, nowNanos))) {
                first = queue;
                firstSince = since;
            }
        }
        return first;
    }

    /** Since when the head waits; drops heads of which nothing may be run, or those behind could starve unseen. */
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

    /** Whether there may be something that this worker may run. */
    boolean hasReady(int worker) {
        for (Queue<KeyLane<K, T>> queue : readyOf(worker)) {
            if (!queue.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Of a lane that has left its ready queue; empty if nothing of it may be run. */
    private List<Entry<K, T>> take(KeyLane<K, T> lane, int worker) {
        Pin<K, T> pin = lane.pin;
        synchronized (pin) {
            lane.queued = false;
            if (pin.running > 0 || lane.waiting.isEmpty()) {
                return List.of();
            }
            List<Entry<K, T>> batch = new ArrayList<>(Math.min(pin.waiting, config.maxBatch()));
            for (Entry<K, T> entry = lane.waiting.first();
                    entry != null && batch.size() < config.maxBatch();
                    entry = lane.waiting.first()) {
                lane.waiting.remove(entry);
                batch.add(entry);
            }
            if (pin.worker != worker) {
                tasksOf.addAndGet(pin.worker, -pin.waiting);
                tasksOf.addAndGet(worker, pin.waiting);
                pin.worker = worker;
            }
            pin.waiting -= batch.size();
            pin.running = batch.size();
            running.incrementAndGet(); // before it stops waiting: it is never missed by isQuiet
            waiting.addAndGet(-batch.size());
            return batch;
        }
    }

    /** A batch has run. Its key is free to move once nothing of it waits or runs. */
    void done(List<Entry<K, T>> batch) {
        Pin<K, T> pin = batch.get(0).lane.pin;
        synchronized (pin) {
            pin.running = 0;
            tasksOf.addAndGet(pin.worker, -batch.size());
            pin.lanes.forEach(this::queueIfReady);
            unpinIfIdle(pin);
        }
        running.decrementAndGet();
    }

    private void unpinIfIdle(Pin<K, T> pin) {
        if (pin.waiting == 0 && pin.running == 0) {
            pin.gone = true;
            pins.remove(pin.key, pin);
        }
    }

    /** Takes out everything that waits. */
    List<Entry<K, T>> drain() {
        List<Entry<K, T>> all = new ArrayList<>();
        for (Pin<K, T> pin : pins.values()) {
            synchronized (pin) {
                for (KeyLane<K, T> lane : pin.lanes) {
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

    /** Whether nothing waits or runs. */
    boolean isQuiet() {
        return waiting.get() == 0 && running.get() == 0;
    }

    /** Batches that run. */
    int running() {
        return running.get();
    }

    /** Waiting and running tasks of a worker. */
    int tasksOf(int worker) {
        return tasksOf.get(worker);
    }

    /** Keys that are bound to a worker. */
    Collection<K> pinnedKeys() {
        return pins.keySet();
    }
}
