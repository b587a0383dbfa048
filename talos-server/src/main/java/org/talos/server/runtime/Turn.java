// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What a thread puts off while it takes one request after another: work that it can do for all of them at once. A turn
 * is where a thread is, so it is known to the thread alone and not passed through each call.
 *
 * <p>Thread-safe.
 */
public final class Turn {
    private static final ThreadLocal<@Nullable Executor> END = new ThreadLocal<>();

    private Turn() {}

    /**
     * Begins a part of this thread's turn, which {@link #leave} ends. Parts are not nested.
     *
     * @param end runs what is put off, soon, on whatever thread; never at once
     */
    public static void begin(Executor end) {
        END.set(end);
    }

    /** Ends the part: from now on this thread puts nothing off. */
    public static void leave() {
        END.set(null); // the next part of a turn finds its place
    }

    /** Whether this thread may put work off. */
    public static boolean isUnderWay() {
        return END.get() != null;
    }

    /** Runs a task at the end of this thread's turn; at once if it has none. */
    public static void atEnd(Runnable task) {
        Executor end = END.get();
        if (end == null) {
            task.run();
        } else {
            end.execute(task);
        }
    }
}
