// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.SelectionPolicy;

/**
 * Which worker runs which task and in what order: the policy of {@link KeyAffinityExecutor} without its threads and
 * without a clock.
 *
 * <p>A key with a task that waits or runs is pinned to that task's worker, so its tasks never run at once. Otherwise a
 * task goes to the worker with the fewest tasks, counting the running ones (or a busy worker would look as free as an
 * idle one), ties to the lowest number, so that few workers stay hot.
 *
 * <p>Confined: every call is made under the executor's lock.
 */
final class WorkerQueues<K, T extends Task<K>> {
    private final SelectionPolicy policy;
    private final PoolConfig config;
    private final List<Map<Priority, Set<Entry<K, T>>>> lanes = new ArrayList<>();
    private final int[] tasksOf;
    private final Map<K, Pin<K, T>> pins = new HashMap<>();
    private int waiting;

    WorkerQueues(SelectionPolicy policy, PoolConfig config) {
        this.policy = policy;
        this.config = config;
        tasksOf = new int[config.workers()];
        for (int worker = 0; worker < config.workers(); worker++) {
            lanes.add(emptyLanes());
        }
    }

    /** A task in its queue. */
    static final class Entry<K, T extends Task<K>> {
        private final T task;
        private final Pin<K, T> pin;
        private final long submittedNanos;
        private TimerTicket ticket = TimerTicket.NONE;

        private Entry(T task, Pin<K, T> pin, long submittedNanos) {
            this.task = task;
            this.pin = pin;
            this.submittedNanos = submittedNanos;
        }

        T task() {
            return task;
        }

        int worker() {
            return pin.worker;
        }

        long submittedNanos() {
            return submittedNanos;
        }

        void ticket(TimerTicket given) {
            ticket = given;
        }

        TimerTicket ticket() {
            return ticket;
        }
    }

    /** Where a task's expiry can be called off. */
    @FunctionalInterface
    interface TimerTicket {
        TimerTicket NONE = () -> {};

        void cancel();
    }

    /** A key that is bound to a worker, and its waiting tasks. */
    private static final class Pin<K, T extends Task<K>> {
        private final K key;
        private final int worker;
        private final Map<Priority, Set<Entry<K, T>>> waiting = new EnumMap<>(Priority.class); // those it had tasks in
        private int waitingTasks;
        private int runningTasks;

        Pin(K key, int worker) {
            this.key = key;
            this.worker = worker;
        }
    }

    private static <K, T extends Task<K>> Map<Priority, Set<Entry<K, T>>> emptyLanes() {
        Map<Priority, Set<Entry<K, T>>> lanes = new EnumMap<>(Priority.class);
        for (Priority priority : Priority.values()) {
            lanes.put(priority, new LinkedHashSet<>());
        }
        return lanes;
    }

    /** Whether a task of this key is within the bounds. */
    Submission admit(K key) {
        if (waiting >= config.maxWaiting()) {
            return Submission.REFUSED_FULL;
        }
        Pin<K, T> pin = pins.get(key);
        return pin != null && pin.waitingTasks >= config.maxWaitingPerKey()
                ? Submission.REFUSED_KEY_FULL
                : Submission.ACCEPTED;
    }

    /** Queues an admitted task behind its key. */
    Entry<K, T> add(T task, long nowNanos) {
        Pin<K, T> pin = pins.computeIfAbsent(task.key(), key -> new Pin<>(key, select(key)));
        Entry<K, T> entry = new Entry<>(task, pin, nowNanos);
        lane(entry).add(entry);
        keyLane(entry).add(entry);
        pin.waitingTasks++;
        tasksOf[pin.worker]++;
        waiting++;
        return entry;
    }

    private int select(K key) {
        return policy == SelectionPolicy.HASH ? Math.floorMod(key.hashCode(), tasksOf.length) : leastLoaded();
    }

    private int leastLoaded() {
        int least = 0;
        for (int worker = 1; worker < tasksOf.length && tasksOf[least] > 0; worker++) {
            if (tasksOf[worker] < tasksOf[least]) {
                least = worker;
            }
        }
        return least;
    }

    /** Takes a task out that has not been started; false if it has, or is gone. */
    boolean remove(Entry<K, T> entry) {
        if (!lane(entry).remove(entry)) {
            return false;
        }
        keyLane(entry).remove(entry);
        entry.pin.waitingTasks--;
        tasksOf[entry.pin.worker]--;
        waiting--;
        unpinIfIdle(entry.pin);
        return true;
    }

    /**
     * The next batch of a worker: the first task of its most urgent lane, or of one that has been passed over for too
     * long, and what waits behind it of the same key and priority. They run from here on, until {@link #done}.
     *
     * @return empty if nothing waits
     */
    List<Entry<K, T>> poll(int worker, long nowNanos) {
        Entry<K, T> first = first(worker, nowNanos);
        if (first == null) {
            return List.of();
        }
        List<Entry<K, T>> batch = new ArrayList<>();
        for (Entry<K, T> entry : keyLane(first)) {
            if (batch.size() == config.maxBatch()) {
                break;
            }
            batch.add(entry);
        }
        Pin<K, T> pin = first.pin;
        for (Entry<K, T> entry : batch) {
            lane(entry).remove(entry);
            keyLane(entry).remove(entry);
        }
        pin.waitingTasks -= batch.size();
        pin.runningTasks += batch.size();
        waiting -= batch.size();
        return batch;
    }

    /** The head of the most urgent lane, unless an older one has been passed over for as long as the bound. */
    private @Nullable Entry<K, T> first(int worker, long nowNanos) {
        Entry<K, T> first = null;
        for (Set<Entry<K, T>> lane : lanes.get(worker).values()) {
            if (!lane.isEmpty()) {
                Entry<K, T> head = lane.iterator().next();
                if (first == null || (starves(head, nowNanos) && head.submittedNanos < first.submittedNanos)) {
                    first = head;
                }
            }
        }
        return first;
    }

    private boolean starves(Entry<K, T> entry, long nowNanos) {
        return nowNanos - entry.submittedNanos >= config.starvationBound().toNanos();
    }

    /** A batch has run. Its key is free to move once nothing of it waits or runs. */
    void done(List<Entry<K, T>> batch) {
        Pin<K, T> pin = batch.get(0).pin;
        pin.runningTasks -= batch.size();
        tasksOf[pin.worker] -= batch.size();
        unpinIfIdle(pin);
    }

    private void unpinIfIdle(Pin<K, T> pin) {
        if (pin.waitingTasks == 0 && pin.runningTasks == 0) {
            pins.remove(pin.key);
        }
    }

    /** Takes out everything that waits. */
    List<Entry<K, T>> drain() {
        List<Entry<K, T>> all = new ArrayList<>();
        lanes.forEach(of -> of.values().forEach(all::addAll));
        all.forEach(this::remove);
        return all;
    }

    int waiting() {
        return waiting;
    }

    /** Waiting and running tasks of a worker. */
    int tasksOf(int worker) {
        return tasksOf[worker];
    }

    /** Keys that are bound to a worker. */
    Collection<K> pinnedKeys() {
        return pins.keySet();
    }

    private Set<Entry<K, T>> lane(Entry<K, T> entry) {
        Set<Entry<K, T>> lane = lanes.get(entry.pin.worker).get(entry.task.priority());
        if (lane == null) {
            throw new IllegalStateException("no lane of " + entry.task.priority());
        }
        return lane;
    }

    private Set<Entry<K, T>> keyLane(Entry<K, T> entry) {
        return entry.pin.waiting.computeIfAbsent(entry.task.priority(), priority -> new LinkedHashSet<>());
    }
}
