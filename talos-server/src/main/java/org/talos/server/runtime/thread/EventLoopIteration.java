// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One iteration of a thread's event loop. While the thread handles one request after another, it defers work that it
 * can do for all of them at once. The current iteration is known to the thread alone and not passed through each call.
 *
 * <p>Thread-safe.
 */
public final class EventLoopIteration {
    private static final ThreadLocal<@Nullable Executor> END = new ThreadLocal<>();

    private EventLoopIteration() {}

    /**
     * Begins a part of this thread's iteration, which {@link #leave} ends. Parts are not nested.
     *
     * @param end runs the deferred tasks, soon, on any thread; never at once
     */
    public static void begin(Executor end) {
        END.set(end);
    }

    /** Ends the part: from now on this thread defers nothing. */
    public static void leave() {
        END.set(null); // the next part of an iteration reuses the entry
    }

    /** Returns whether this thread may defer work. */
    public static boolean isUnderWay() {
        return END.get() != null;
    }

    /** Runs a task at the end of this thread's iteration; at once if it has none. */
    public static void atEnd(Runnable task) {
        Executor end = END.get();
        if (end == null) {
            task.run();
        } else {
            end.execute(task);
        }
    }
}
