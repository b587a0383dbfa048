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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.Continuation;

/**
 * A selector that also runs tasks, on its thread, after the connections that it has found ready: all that gathers
 * meanwhile in one go, for one look at its queue and at most one wake-up.
 *
 * <p>Thread-safe.
 */
final class SelectorTurn extends ManagedSelector implements Continuation {
    private static final Logger LOG = LoggerFactory.getLogger(SelectorTurn.class);

    /** Tasks that tasks bring run in the same turn, so often: a write, the answers it leads to, and who awaits them. */
    private static final int GENERATIONS = 3;

    /** Tasks of {@link #executeLast} that run in a turn. */
    private static final int LAST_AT_ONCE = 16;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private List<Runnable> queued = new ArrayList<>();

    @GuardedBy("lock")
    private final Queue<Runnable> last = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean submitted; // an end that has not come yet

    @GuardedBy("lock")
    private boolean stopped;

    SelectorTurn(SelectorManager manager, int id) {
        super(manager, id);
    }

    /** Runs a task at the end of the turn, in the order of their coming; once the selector has stopped, at once. */
    @Override
    public void execute(Runnable task) {
        if (!queue(task, false)) {
            run(task);
        }
    }

    @Override
    public void executeLast(Runnable task) {
        if (!queue(task, true)) {
            run(task);
        }
    }

    /** False once the selector has stopped. */
    private boolean queue(Runnable task, boolean isLast) {
        boolean first;
        synchronized (lock) {
            if (stopped) {
                return false;
            }
            if (isLast) {
                last.add(task);
            } else {
                queued.add(task);
            }
            first = !submitted;
            submitted = true;
        }
        if (first) {
            submit(new End());
        }
        return true;
    }

    private static void run(Runnable task) {
        try {
            SelectorThreads.run(task);
        } catch (RuntimeException | Error e) { // the others have nothing to do with it
            LOG.error("what continues a request failed", e);
        }
    }

    @Override
    protected void doStop() throws Exception {
        super.doStop();
        synchronized (lock) {
            stopped = true;
        }
        runAll();
    }

    /** What has gathered and is to run together. */
    private List<Runnable> take() {
        synchronized (lock) {
            List<Runnable> taken = queued;
            queued = taken.isEmpty() ? queued : new ArrayList<>();
            return taken;
        }
    }

    /** At most so many of those that run last. */
    private List<Runnable> takeLast(int most) {
        synchronized (lock) {
            List<Runnable> taken = new ArrayList<>();
            while (!last.isEmpty() && taken.size() < most) {
                taken.add(last.remove());
            }
            return taken;
        }
    }

    /** Whether there is something left; if not, the next task has to submit an end again. */
    private boolean goesOn() {
        synchronized (lock) {
            submitted = !queued.isEmpty() || !last.isEmpty();
            return submitted;
        }
    }

    /** What these tasks bring runs once the selector has stopped. */
    private void runAll() {
        take().forEach(SelectorTurn::run);
        takeLast(Integer.MAX_VALUE).forEach(SelectorTurn::run);
    }

    /** The end of a turn. A selector that stops closes it. Immutable. */
    private final class End implements SelectorUpdate, Closeable {
        @Override
        public void update(Selector selector) {
            List<Runnable> tasks = take();
            for (int generation = 1; !tasks.isEmpty(); generation++) {
                tasks.forEach(SelectorTurn::run);
                tasks = generation < GENERATIONS ? take() : List.of();
            }
            takeLast(LAST_AT_ONCE).forEach(SelectorTurn::run);
            if (goesOn()) {
                submit(this); // connections first: some tasks always bring further ones
            }
        }

        @Override
        public void close() {
            runAll();
        }
    }
}
