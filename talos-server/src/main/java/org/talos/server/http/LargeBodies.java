// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Map.Entry;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.thread.NamedThreads;

/**
 * Continues with the requests whose bodies or answers are large, or may be once they are decompressed, on threads of
 * its own: their digests, decoding and writing take milliseconds, for which all other connections of a selector would
 * wait. Users take turns, so that nobody waits behind all that another has sent or asked for.
 *
 * <p>Thread-safe.
 */
final class LargeBodies extends AbstractLifeCycle {
    /** More is large: a selector is done with so much in a fraction of a millisecond. */
    static final int BYTES = 128 << 10;

    private final ExecutorService threads =
            Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(), new NamedThreads("http-large"));

    @GuardedBy("this")
    private final Map<String, Deque<Runnable>> waiting = new LinkedHashMap<>(); // by user, in the order of their turns

    /** Runs a task when its user's turn has come; once this has stopped or no thread is left, on the caller's. */
    void execute(String user, Runnable task) {
        synchronized (this) {
            waiting.computeIfAbsent(user, unused -> new ArrayDeque<>(1)).add(task);
        }
        try {
            threads.execute(this::runNext);
        } catch (RejectedExecutionException | OutOfMemoryError e) { // stopped, or no thread left
            runNext(); // as many run as were handed in
        }
    }

    private void runNext() {
        Runnable task = next();
        if (task != null) {
            task.run();
        }
    }

    private synchronized @Nullable Runnable next() {
        Iterator<Entry<String, Deque<Runnable>>> users = waiting.entrySet().iterator();
        if (!users.hasNext()) {
            return null;
        }
        Entry<String, Deque<Runnable>> user = users.next();
        users.remove();
        Deque<Runnable> tasks = user.getValue();
        Runnable task = tasks.remove();
        if (!tasks.isEmpty()) {
            waiting.put(user.getKey(), tasks); // behind the others
        }
        return task;
    }

    @Override
    protected void doStop() {
        threads.shutdown(); // what waits is run
    }
}
