// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A selector that also runs tasks, on its thread, after the connections that it has found ready: all that gathers
 * meanwhile in one go, for one look at its queue and at most one wake-up.
 *
 * <p>Thread-safe.
 */
final class SelectorTurn extends ManagedSelector implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(SelectorTurn.class);

    /** Tasks that tasks bring run in the same turn, so often: a write, the answers it leads to, and who awaits them. */
    private static final int GENERATIONS = 3;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private List<Runnable> queued = new ArrayList<>();

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
        if (!queue(task)) {
            run(task);
        }
    }

    /** False once the selector has stopped. */
    private boolean queue(Runnable task) {
        boolean first;
        synchronized (lock) {
            if (stopped) {
                return false;
            }
            queued.add(task);
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
        List<Runnable> left;
        synchronized (lock) {
            stopped = true;
            left = take();
        }
        left.forEach(SelectorTurn::run);
    }

    /** What has gathered; empty if there is nothing, and the next task has to submit an end again. */
    private List<Runnable> take() {
        synchronized (lock) {
            List<Runnable> taken = queued;
            submitted = !taken.isEmpty();
            queued = submitted ? new ArrayList<>() : queued;
            return taken;
        }
    }

    /** The end of a turn. A selector that stops closes it. Immutable. */
    private final class End implements SelectorUpdate, Closeable {
        @Override
        public void update(Selector selector) {
            for (int generation = 0; generation < GENERATIONS; generation++) {
                List<Runnable> tasks = take();
                if (tasks.isEmpty()) {
                    return;
                }
                tasks.forEach(SelectorTurn::run);
            }
            submit(this); // connections first: some tasks always bring further ones
        }

        @Override
        public void close() {
            take().forEach(SelectorTurn::run); // what they bring runs once the selector has stopped
        }
    }
}
