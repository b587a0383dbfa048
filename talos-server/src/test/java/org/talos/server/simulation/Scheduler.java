// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs what would run on threads of one or several processes as steps, one at a time, in an order that a seed gives. A
 * step may wait, or reach a place where others could get on. Then the kind of scheduler decides:
 *
 * <ul>
 *   <li>Usually other steps run inside it: a step that began later ends earlier, which is one of the orders that
 *       threads may take. What would deadlock only for that order is not begun there. Locks do not hold a thread off
 *       from itself. So whoever waits may hold none that others of its process need on their way: that is checked at
 *       each wait, if the process asks for it.
 *   <li>After {@link #suspendSteps} the step suspends on a thread of its own ({@link StepThreads}), so that steps end
 *       in any order. A step that waits for a lock of a suspended one ends the run.
 * </ul>
 *
 * <p>Inside a call under a lock only such steps of the same process run as take none, but all of other processes.
 *
 * <p>Confined: the simulation's thread and, one at a time, those of {@link StepThreads}.
 */
public final class Scheduler implements AutoCloseable {
    /** Steps in a row, while somebody waits, that lead nowhere: then nothing ever will. */
    private static final int PATIENCE = 3_000;

    private static final int DEEPEST = 12;
    private static final String ORDER = "producers_first";
    public static final String BLOCKING = "nothing_blocks";

    /** Promises that are not asked for, to see what is behind those that break first. */
    public static final Set<String> PASSED_OVER =
            Set.of(System.getProperty("talos.simulation.passedOver", "").split(","));

    private final Random random;
    private final List<String> history;
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private final List<Runnable> ready = new ArrayList<>();
    private Deque<Frame> stack = new ArrayDeque<>();
    private final SimulatedProcess outside = new SimulatedProcess(this, "");
    private Runnable bystander = () -> {};
    private long nanos;
    private long timersMade;
    private int fruitless;
    private long endNanos = Long.MAX_VALUE;
    private @Nullable Violation violation;
    private @Nullable StepThreads threads; // null: steps nest
    private int bystanders; // that are due

    /** A scheduler whose time begins at {@code nanos}; what happens is added to the history. */
    public Scheduler(Random random, List<String> history, long nanos) {
        this.random = random;
        this.history = history;
        this.nanos = nanos;
        processes.add(outside);
    }

    /** Returns the process of everything that cannot end: networks, and other machines. */
    public SimulatedProcess outside() {
        return outside;
    }

    /** A step that has begun and not ended. */
    static final class Frame {
        final String name;
        final @Nullable SimulatedProcess process;
        final boolean writes;
        final boolean light; // takes no lock that a call is made under
        private final boolean acknowledges;
        private @Nullable String readerResumed;

        Frame(@Nullable SimulatedProcess process, String name, boolean light) {
            this.name = name;
            this.process = process;
            this.light = light;
            writes = name.equals("journal");
            acknowledges = writes || name.equals("journal-acknowledger");
        }
    }

    /** Hears what producers and readers find. Confined: the simulation's thread. */
    public interface Observer {
        /** Called when a producer's put is acknowledged. */
        void acknowledged(String what);

        /** Something did not hold. */
        Violation violated(String promise, String what);
    }

    /** Runs other steps while one waits: clients and operators continue. A wait is only begun where it may be. */
    public void bystander(Runnable step) {
        bystander = step;
    }

    /** Steps suspend on threads of their own from here on. To be closed. */
    public void suspendSteps() {
        threads = new StepThreads(this);
    }

    /** Returns whether steps run inside others that wait. */
    boolean nests() {
        return threads == null;
    }

    /** Returns whether a thread runs steps that may suspend. */
    public static boolean isOfSteps(Thread thread) {
        return StepThreads.isCarrier(thread);
    }

    /** Ends steps that are suspended. */
    @Override
    public void close() {
        if (threads != null) {
            threads.close();
        }
    }

    /** Sets the end: a step that is not over by then never will be. */
    public void endsBy(long nanosAtEnd) {
        endNanos = nanosAtEnd;
    }

    /** Adds a process without threads. */
    public SimulatedProcess process(String name) {
        SimulatedProcess added = new SimulatedProcess(this, name);
        processes.add(added);
        return added;
    }

    /** Ends a process: no step of it is begun any more, and those that are under way end where they wait. */
    public void end(SimulatedProcess process) {
        process.endNow();
        processes.remove(process);
        if (threads != null) {
            threads.abandon(process);
        }
    }

    Random random() {
        return random;
    }

    Deque<Frame> stack() {
        return stack;
    }

    long nextTimer() {
        return timersMade++;
    }

    public long nanos() {
        return nanos;
    }

    /** Lets time pass. */
    public void pass(long more) {
        nanos += more;
    }

    /** Records what did not hold: on its way up the code under test may take it for a failure of its own. */
    public Violation violated(String promise, String what) {
        Violation found = new Violation(promise, what);
        if (violation == null) {
            violation = found;
            note("VIOLATED " + found.getMessage());
        }
        return found;
    }

    /** Throws the first violation, if there was one. */
    public void check() {
        if (violation != null) {
            throw violation;
        }
    }

    /** Returns whether what is chosen now must not wait for the journal: its writer is below. */
    public boolean isInsideWriter() {
        return stack.stream().anyMatch(frame -> frame.writes);
    }

    /** Runs a step of nobody's process. */
    public void run(String name, Runnable step) {
        note(name);
        run(null, name, false, step);
    }

    /** @param light the step takes no lock that a call is made under */
    void run(@Nullable SimulatedProcess process, String name, boolean light, Runnable step) {
        Frame frame = new Frame(process, name, light);
        stack.push(frame);
        if (process != null) {
            process.begun(frame);
        }
        try {
            step.run();
        } catch (ProcessEnded e) {
            if (process == null || !process.isEnded()) {
                throw e;
            }
        } finally {
            stack.pop();
            if (process != null) {
                process.ended(frame);
            }
        }
    }

    /** Adds to the history. */
    public void note(String what) {
        history.add(nanos / 1_000_000 + " " + "  ".repeat(stack.size()) + what);
    }

    /** A waiting reader's answer would be made now. */
    public void readerResumed(String who) {
        Frame frame = stack.peek();
        if (frame != null) {
            frame.readerResumed = who;
        }
    }

    /** A producer is acknowledged now: no reader's answer may have delayed that. */
    public void acknowledged(String who) {
        Frame frame = stack.peek();
        boolean asked = !PASSED_OVER.contains(ORDER);
        if (asked && frame != null && frame.readerResumed != null) {
            throw violated(
                    ORDER,
                    who + " is acknowledged behind the answer of " + frame.readerResumed + ", by the same step "
                            + frame.name);
        }
    }

    /** Runs one step that is ready; false if there is none. */
    public boolean step() {
        ready.clear();
        for (SimulatedProcess process : processes) {
            process.offer(ready);
        }
        if (threads != null) {
            threads.offer(ready);
        }
        if (ready.isEmpty()) {
            return false;
        }
        ready.get(random.nextInt(ready.size())).run();
        return true;
    }

    /** Lets time pass to the next timer, or for the copier's round, when nothing is ready. */
    public void skipTime() {
        long next = nextDue();
        if (next != Long.MAX_VALUE && random.nextInt(4) > 0) {
            nanos = Math.max(nanos, next);
        } else {
            nanos += 1_000_000_000L;
            List.copyOf(processes).forEach(SimulatedProcess::copierRound);
        }
    }

    private long nextDue() {
        long next = threads == null ? Long.MAX_VALUE : threads.nextDue();
        for (SimulatedProcess process : processes) {
            next = Math.min(next, process.nextDue());
        }
        return next;
    }

    /** Runs what is ready, and lets time pass to what comes next, until that time. */
    public void runUntil(long untilNanos) {
        StepThreads others = threads;
        if (others == null) {
            while (nanos < untilNanos && violation == null) {
                stepOrAdvance(untilNanos);
            }
        } else {
            others.run(() -> {
                boolean continues = nanos < untilNanos && violation == null;
                if (continues) {
                    runBystanders();
                    stepOrAdvance(untilNanos);
                }
                return continues;
            });
        }
    }

    /** Runs other events while steps are suspended. */
    private void runBystanders() {
        StepThreads others = threads;
        if (others != null && !others.isEmpty() && random.nextInt(12) == 0) {
            bystanders++;
        }
        for (; bystanders > 0; bystanders--) {
            bystander.run();
        }
    }

    /** Suspends the step that runs; false if there is none. */
    boolean suspend(SimulatedProcess process, StepThreads.Wait wait) {
        StepThreads others = threads;
        Frame frame = stack.peek();
        if (others == null || frame == null) {
            return false;
        }
        if (random.nextBoolean()) {
            bystanders++;
        }
        Deque<Frame> own = stack;
        stack = new ArrayDeque<>();
        try {
            return others.suspend(process, wait, frame.light);
        } finally {
            stack = own;
        }
    }

    private void stepOrAdvance(long untilNanos) {
        if (!step()) {
            nanos = Math.max(nanos, Math.min(nextDue(), untilNanos));
            if (nanos > endNanos) {
                throw violated(BLOCKING, "continues forever: " + names());
            }
        }
    }

    /**
     * Other steps, clients and operators among them, while a call of a process is under way that takes so long. What
     * may run of that process is its own business.
     */
    void whileCalled(long takesNanos) {
        long until = nanos + takesNanos;
        if (stack.size() >= DEEPEST) {
            nanos = until;
            return;
        }
        for (int i = random.nextInt(3); i >= 0; i--) {
            meanwhile();
        }
        while (nanos < until && violation == null) {
            if (random.nextInt(8) == 0) {
                bystander.run();
            }
            stepOrAdvance(until);
        }
    }

    /** Runs other steps, as a call of a disk may take its time. */
    public void onDisk(String operation, String file) {
        Frame frame = stack.peek();
        boolean isIndex = file.endsWith(".index.new") && !operation.equals("read"); // held by no lock
        if (frame == null || !(frame.writes || isIndex) || stack.size() >= DEEPEST || random.nextInt(3) > 0) {
            return;
        }
        note(operation + " " + file + " takes its time");
        for (int i = random.nextInt(3); i >= 0; i--) {
            meanwhile();
        }
    }

    private void meanwhile() {
        if (stack.size() < DEEPEST && random.nextInt(3) == 0) {
            bystander.run();
        } else {
            step();
        }
    }

    /** Lets others get on; false if nobody could. */
    boolean waitOnce() {
        Frame frame = stack.peek();
        if (frame != null && frame.acknowledges) {
            throw violated(BLOCKING, frame.name + " waits");
        }
        if (stack.size() < DEEPEST && random.nextInt(4) == 0) {
            bystander.run();
        }
        if (step()) {
            fruitless = 0;
            return true;
        }
        if (++fruitless > PATIENCE) {
            throw violated(BLOCKING, "waits forever: " + names());
        }
        skipTime();
        return false;
    }

    String names() {
        return stack.stream().map(frame -> frame.name).toList().toString();
    }
}
