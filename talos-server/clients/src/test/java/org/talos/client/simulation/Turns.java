// SPDX-License-Identifier: Apache-2.0
package org.talos.client.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the threads of several machines one at a time, on one clock. Who runs next is chosen by a seed, whenever one
 * waits or ends. Time passes only when nobody can run.
 *
 * <p>Confined: the simulation's thread and, one at a time, the threads that it lets run.
 */
public final class Turns {
    private static final long FOR_EVER = Long.MAX_VALUE;
    private static final int REAL_SECONDS = 120;

    private final Random random;
    private final List<String> history = new ArrayList<>();
    private final List<SimulatedThread> turns = new ArrayList<>();
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::due).thenComparingLong(Event::number));
    private final Deque<Worker> idle = new ArrayDeque<>();
    private final Semaphore mine = new Semaphore(0);
    private final Machine outside = new Machine(this, "");
    private long nanos = 1_000_000_000L;
    private long made;
    private BooleanSupplier enough = () -> true;
    private long limit;
    private boolean unwinding;
    private final AtomicLong steps = new AtomicLong(); // of the simulation, for a watcher of its progress
    private @Nullable SimulatedThread running;
    private @Nullable AssertionError violation;

    /** Nothing runs yet. */
    public Turns(Random random) {
        this.random = random;
    }

    /** Something that happens at a time on a machine. Immutable. */
    private record Event(long due, long number, Machine machine, Runnable task) {}

    /** A thread that has been given a task. Confined: as {@link Turns}. */
    static final class SimulatedThread {
        final Machine machine;
        final String name;
        private final Worker worker;
        private BooleanSupplier ready = () -> true;
        private long until = FOR_EVER;

        SimulatedThread(Machine machine, String name, Worker worker) {
            this.machine = machine;
            this.name = name;
            this.worker = worker;
        }

        void interrupt() {
            worker.interrupt();
        }

        private boolean isReady(long now) {
            return machine.isKilled()
                    || (!machine.isPaused() && (now >= until || worker.isInterrupted() || ready.getAsBoolean()));
        }

        private long wakesAt() {
            return until == FOR_EVER ? FOR_EVER : Math.max(until, machine.pausedUntil());
        }
    }

    /** A thread of the system, which runs one task after another. Confined: as {@link Turns}. */
    private final class Worker extends Thread {
        private final Semaphore go = new Semaphore(0);
        private @Nullable Runnable task;

        Worker() {
            super("simulated");
            setDaemon(true);
            start();
        }

        @Override
        public void run() {
            while (true) {
                go.acquireUninterruptibly();
                Runnable next = task;
                if (next == null) {
                    return;
                }
                next.run();
                boolean unused = Thread.interrupted();
                idle.push(this);
                pass(next());
            }
        }
    }

    /** Returns whether a thread is one of those that take turns. */
    static boolean isSimulated(Thread thread) {
        return thread instanceof Worker;
    }

    /** Chooses by the seed. */
    public Random random() {
        return random;
    }

    /** The time, in nanoseconds. */
    public long nanos() {
        return nanos;
    }

    /** Returns the machine of everything that cannot fail: the network, and the servers. */
    Machine outside() {
        return outside;
    }

    /** Returns the events so far. */
    public List<String> history() {
        return history;
    }

    /** Adds to the history. */
    public void note(String what) {
        SimulatedThread now = running;
        history.add(nanos / 1_000_000 + " " + (now == null ? "" : now.machine.name() + ":" + now.name + " ") + what);
    }

    /** Records what did not hold; the run ends with the first. */
    public AssertionError violated(String what) {
        AssertionError found = new AssertionError(what);
        if (violation == null) {
            violation = found;
            note("VIOLATED " + what);
        }
        return found;
    }

    /** Runs a task on a thread of its own. */
    SimulatedThread spawn(Machine machine, String name, Runnable task) {
        Worker worker = idle.isEmpty() ? new Worker() : idle.pop();
        SimulatedThread turn = new SimulatedThread(machine, name, worker);
        worker.task = () -> {
            try {
                if (!machine.isKilled()) {
                    task.run();
                }
            } catch (Killed e) {
                if (!machine.isKilled()) {
                    throw violated("a thread ended: " + e);
                }
            } catch (RuntimeException | Error e) {
                var unused = violated(machine.name() + ":" + name + " failed: " + e);
            } finally {
                turns.remove(turn);
            }
        };
        turns.add(turn);
        return turn;
    }

    /** Runs a task at a time; it must not wait. */
    void at(long due, Machine machine, Runnable task) {
        events.add(new Event(due, made++, machine, task));
    }

    /** The thread that runs; null on the simulation's own. */
    @Nullable
    SimulatedThread running() {
        return running;
    }

    /** Waits until something holds, or the time has come. */
    void await(BooleanSupplier ready, long until) throws InterruptedException {
        SimulatedThread me = running;
        if (me == null) {
            throw violated("who answers calls waits: " + new Throwable().getStackTrace()[2]);
        }
        me.ready = ready;
        me.until = until;
        SimulatedThread next = next();
        if (next == me) {
            running = me;
        } else {
            pass(next);
            me.worker.go.acquireUninterruptibly();
        }
        if (me.machine.isKilled()) {
            throw new Killed();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Lets others run now and then, where threads may be held up. */
    void mayYield() {
        SimulatedThread me = running;
        if (me != null && !me.machine.isKilled() && random.nextInt(8) == 0) {
            boolean interrupted = Thread.interrupted();
            try {
                await(() -> true, FOR_EVER);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Continues until a time, or until something holds; whether it held. */
    public boolean runUntil(long time, BooleanSupplier isEnough) {
        limit = time;
        enough = isEnough;
        SimulatedThread next = next();
        if (next != null) {
            pass(next);
            awaitMine();
        }
        if (violation != null) {
            throw violation;
        }
        return isEnough.getAsBoolean();
    }

    /** Lets a thread continue; null for the simulation's own. */
    private void pass(@Nullable SimulatedThread next) {
        running = next;
        if (next == null) {
            mine.release();
        } else {
            next.worker.go.release();
        }
    }

    /** Lets what happens at a time happen, and time pass, until a thread can run: that one. Null if it is enough. */
    private @Nullable SimulatedThread next() {
        running = null;
        while (!unwinding && violation == null && nanos < limit && !enough.getAsBoolean()) {
            var unused = steps.incrementAndGet();
            List<SimulatedThread> ready =
                    turns.stream().filter(each -> each.isReady(nanos)).toList();
            Event event = events.peek();
            int choices = ready.size() + (event != null && event.due <= nanos ? 1 : 0);
            if (choices == 0) {
                nanos = Math.min(limit, Math.max(nanos, nextTime()));
                continue;
            }
            int chosen = random.nextInt(choices);
            if (chosen < ready.size()) {
                return ready.get(chosen);
            }
            run(events.remove());
        }
        return null;
    }

    private void run(Event event) {
        if (event.machine.isPaused()) {
            at(event.machine.pausedUntil(), event.machine, event.task);
            return;
        }
        try {
            if (!event.machine.isKilled()) {
                event.task.run();
            }
        } catch (RuntimeException | Error e) {
            var unused = violated("what happens fails: " + e);
        }
    }

    private void awaitMine() {
        long before;
        boolean back = false;
        do {
            before = steps.get();
            try {
                back = mine.tryAcquire(REAL_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        } while (!back && steps.get() != before);
        SimulatedThread last = running;
        if (!back && last != null) { // it waits for something that is not simulated
            throw new IllegalStateException(last.name + " waits at " + List.of(last.worker.getStackTrace()));
        }
    }

    private long nextTime() {
        long next = events.isEmpty() ? FOR_EVER : events.peek().due;
        for (SimulatedThread each : turns) {
            next = Math.min(next, each.wakesAt());
            if (each.machine.isPaused()) {
                next = Math.min(next, each.machine.pausedUntil());
            }
        }
        return next;
    }

    /** Ends the threads of a machine that has been killed. */
    void unwind(Machine machine) {
        unwinding = true;
        for (SimulatedThread each = oneOf(machine); each != null; each = oneOf(machine)) {
            pass(each);
            awaitMine();
        }
        unwinding = false;
    }

    private @Nullable SimulatedThread oneOf(Machine machine) {
        return turns.stream()
                .filter(each -> each.machine == machine)
                .findFirst()
                .orElse(null);
    }

    /** Ends the threads of the system, when all machines have been killed. */
    void end() {
        idle.forEach(each -> {
            each.task = null;
            each.go.release();
        });
        idle.clear();
    }

    /** Returns the current steps of threads that never end, for the history. */
    List<String> waiting() {
        return turns.stream().map(each -> each.machine.name() + ":" + each.name).toList();
    }
}
