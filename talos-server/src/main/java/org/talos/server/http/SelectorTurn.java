// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.http.fairness.UserTurn;
import org.talos.server.http.fairness.UserTurns;
import org.talos.server.runtime.thread.Continuation;
import org.talos.server.runtime.time.Ticker;

/**
 * A selector that also runs tasks on its thread, after the ready connections: all accumulated tasks at once, with one
 * look at its queue and at most one wake-up. Tasks of a user's streams run in the user's turns, one between two
 * selections.
 *
 * <p>Thread-safe.
 */
final class SelectorTurn extends ManagedSelector implements Continuation {
    private static final Logger LOG = LoggerFactory.getLogger(SelectorTurn.class);

    /**
     * Tasks that other tasks submit run in the same turn, up to this depth: a write, the answers that it causes, and
     * their readers.
     */
    private static final int GENERATIONS = 3;

    /** Tasks of {@link #executeLast} that run in a turn. */
    private static final int LAST_AT_ONCE = 16;

    private final Ticker ticker;
    private final Runnable onFailure;
    private final Tasks tasks = new Tasks();
    private final End atEnd = new End();
    private volatile @Nullable Thread turning; // in the turn of a user

    /** @param onFailure runs if selecting ends although the server was not stopped; must not block */
    SelectorTurn(SelectorManager manager, int id, Ticker ticker, Runnable onFailure) {
        super(manager, id);
        this.ticker = ticker;
        this.onFailure = onFailure;
    }

    /** Returns a user's turns on this selector. */
    UserTurn of(String user) {
        return new OfUser(user);
    }

    /** Runs a task at the end of the turn, in the order of arrival; once the selector has stopped, at once. */
    @Override
    public void execute(Runnable task) {
        see(tasks.add(task), task);
    }

    @Override
    public void executeLast(Runnable task) {
        see(tasks.addLast(task), task);
    }

    private void see(Tasks.Duty duty, Runnable task) {
        switch (duty) {
            case SUBMIT -> submit(atEnd);
            case RUN -> run(task);
            case NOTHING -> {} // the submitted end runs it
        }
    }

    private static void run(Runnable task) {
        try {
            SelectorThreads.run(task);
        } catch (RuntimeException | Error e) { // the others have nothing to do with it
            LOG.error("continuation of a request failed", e);
        }
    }

    @Override
    protected void doStop() throws Exception {
        super.doStop();
        end();
    }

    /** Selecting has ended: no other thread would run the accumulated tasks. */
    @Override
    protected void onSelectFailed(Throwable cause) {
        super.onSelectFailed(cause);
        LOG.error("selector failed, restart the server", cause);
        onFailure.run();
        end();
    }

    private void end() {
        tasks.stop();
        runAll();
    }

    /** Runs the tasks that these add, once the selector has stopped. */
    private void runAll() {
        tasks.take().forEach(SelectorTurn::run);
        tasks.takeLast(Integer.MAX_VALUE).forEach(SelectorTurn::run);
        for (Runnable each = tasks.takeOfAnyUser(); each != null; each = tasks.takeOfAnyUser()) {
            run(each);
        }
    }

    /** Runs the waiting tasks of one user, within the bounds of a turn. */
    private void runTurnOfUser() {
        if (!tasks.beginTurn(ticker.nanos())) {
            return;
        }
        turning = Thread.currentThread();
        try {
            for (Runnable next = tasks.nextOfTurn(ticker.nanos());
                    next != null;
                    next = tasks.nextOfTurn(ticker.nanos())) {
                run(next);
            }
        } finally {
            turning = null;
            tasks.endTurn();
        }
    }

    /** A user's turns on this selector. Thread-safe. */
    private final class OfUser implements UserTurn {
        private final String user;

        OfUser(String user) {
            this.user = user;
        }

        @Override
        public void execute(Runnable task) {
            see(tasks.addOfUser(user, task), task);
        }

        @Override
        public boolean isUnderWay() {
            return turning == Thread.currentThread() && tasks.isTurnOf(user);
        }

        @Override
        public boolean tryContinue() {
            return isUnderWay() && tasks.tryContinue(ticker.nanos());
        }

        @Override
        public void count(int puts) {
            if (isUnderWay()) {
                tasks.count(puts);
            }
        }
    }

    /** The end of a turn. A selector that stops closes it. Immutable. */
    private final class End implements SelectorUpdate, Closeable {
        @Override
        public void update(Selector selector) {
            try {
                runSome();
            } finally { // whatever their outcome: otherwise it would never be submitted again, and no task would run
                if (tasks.continues()) {
                    submit(this); // connections first: some tasks always submit further ones
                }
            }
        }

        private void runSome() {
            runTurnOfUser();
            List<Runnable> some = tasks.take();
            for (int generation = 1; !some.isEmpty(); generation++) {
                some.forEach(SelectorTurn::run);
                some = generation < GENERATIONS ? tasks.take() : List.of();
            }
            tasks.takeLast(LAST_AT_ONCE).forEach(SelectorTurn::run);
        }

        @Override
        public void close() {
            runAll();
        }
    }

    /**
     * The tasks for the end of a selector's turn, and whether that end is scheduled. The thread that adds the first
     * task must submit it.
     *
     * <p>Thread-safe.
     */
    static final class Tasks {
        @GuardedBy("this")
        private List<Runnable> queued = new ArrayList<>();

        @GuardedBy("this")
        private final Queue<Runnable> last = new ArrayDeque<>();

        @GuardedBy("this")
        private final UserTurns turns = new UserTurns();

        @GuardedBy("this")
        private boolean submitted; // an end that has not come yet

        @GuardedBy("this")
        private boolean stopped;

        /** The work that is left to the thread that handed over a task. */
        enum Duty {
            /** Nothing: the scheduled end runs it. */
            NOTHING,
            /** To submit an end. */
            SUBMIT,
            /** To run it: the selector has stopped, and the task is not kept. */
            RUN
        }

        /** Hands over a task. */
        synchronized Duty add(Runnable task) {
            if (stopped) {
                return Duty.RUN;
            }
            queued.add(task);
            return submitting();
        }

        /** Hands over a task that runs behind all others. */
        synchronized Duty addLast(Runnable task) {
            if (stopped) {
                return Duty.RUN;
            }
            last.add(task);
            return submitting();
        }

        /** Hands over a task that runs in a turn of a user. */
        synchronized Duty addOfUser(String user, Runnable task) {
            if (stopped) {
                return Duty.RUN;
            }
            turns.add(user, task);
            return submitting();
        }

        /** Begins the turn of a user; false if no user's task waits. */
        synchronized boolean beginTurn(long nowNanos) {
            return turns.begin(nowNanos);
        }

        /** Takes the next task of the turn; null if the turn is over. */
        synchronized @Nullable Runnable nextOfTurn(long nowNanos) {
            return turns.next(nowNanos);
        }

        synchronized boolean isTurnOf(String user) {
            return turns.isOf(user);
        }

        /** Counts a put of the turn; returns false if the turn is over. */
        synchronized boolean tryContinue(long nowNanos) {
            return turns.tryContinue(nowNanos);
        }

        synchronized void count(int puts) {
            turns.count(puts);
        }

        synchronized void endTurn() {
            turns.end();
        }

        synchronized @Nullable Runnable takeOfAnyUser() {
            return turns.takeAny();
        }

        @GuardedBy("this")
        private Duty submitting() {
            Duty duty = submitted ? Duty.NOTHING : Duty.SUBMIT;
            submitted = true;
            return duty;
        }

        /** Takes the accumulated tasks that run together; none is added afterwards. */
        synchronized List<Runnable> take() {
            if (queued.isEmpty()) {
                return List.of();
            }
            List<Runnable> taken = queued;
            queued = new ArrayList<>();
            return taken;
        }

        /** Takes at most this number of the tasks that run last. */
        synchronized List<Runnable> takeLast(int most) {
            List<Runnable> taken = new ArrayList<>();
            while (!last.isEmpty() && taken.size() < most) {
                taken.add(last.remove());
            }
            return taken;
        }

        /**
         * Returns whether something is left, for which the end must come again; if not, the next task is a first one.
         */
        synchronized boolean continues() {
            submitted = !queued.isEmpty() || !last.isEmpty() || !turns.isEmpty();
            return submitted;
        }

        /** From now on a thread runs its own tasks; the accumulated ones can still be taken. */
        synchronized void stop() {
            stopped = true;
        }
    }
}
