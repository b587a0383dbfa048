// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.fairness;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides which user's work runs next on a thread with connections of many users, and for how long. Users take turns. A
 * turn ends after {@link #MOST_PUTS} or {@link #MOST_NANOS}, whichever comes first. Within a turn, the user's
 * connections are served in the order of their requests for a turn, and a connection with more work asks again.
 *
 * <p>Invariant: between two turns of a user, each other user that waits has one.
 *
 * <p>Confined: one call at a time.
 */
public final class UserTurns {
    /** Puts of a turn. With a few microseconds each, they are a fraction of a millisecond. */
    public static final int MOST_PUTS = 32;

    /** Time after which no further put of a turn begins. */
    public static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The tasks by user, in the order of their turns. The user of the current turn stays first until the turn ends. */
    private final Map<String, Queue<Runnable>> waiting = new LinkedHashMap<>();

    private @Nullable String user; // of the current turn
    private int puts;
    private long beganNanos;

    /** Queues a task behind the user's other tasks. */
    public void add(String owner, Runnable task) {
        waiting.computeIfAbsent(owner, unused -> new ArrayDeque<>(1)).add(task);
    }

    /** Begins the turn of the user that has waited longest. Returns false if no user waits. */
    public boolean begin(long nowNanos) {
        Iterator<String> users = waiting.keySet().iterator();
        user = users.hasNext() ? users.next() : null;
        puts = 0;
        beganNanos = nowNanos;
        return user != null;
    }

    /** Takes the next task of the current turn, which counts as a put; null if the turn is over. */
    public @Nullable Runnable next(long nowNanos) {
        @Nullable Queue<Runnable> tasks = user == null ? null : waiting.get(user);
        return tasks != null && !tasks.isEmpty() && tryContinue(nowNanos) ? tasks.remove() : null;
    }

    /** Counts one more put of the current turn; false if the turn is over. */
    public boolean tryContinue(long nowNanos) {
        boolean continues = puts < MOST_PUTS && nowNanos - beganNanos < MOST_NANOS;
        puts += continues ? 1 : 0;
        return continues;
    }

    /** Counts puts of the current turn that were made together. */
    public void count(int together) {
        puts += together;
    }

    /** Returns whether this is the user of the current turn. */
    public boolean isOf(String owner) {
        return owner.equals(user);
    }

    /** Ends the current turn. The user's remaining tasks wait behind all other users. */
    public void end() {
        @Nullable String ended = user;
        user = null;
        @Nullable Queue<Runnable> tasks = ended == null ? null : waiting.remove(ended);
        if (ended != null && tasks != null && !tasks.isEmpty()) {
            waiting.put(ended, tasks);
        }
    }

    /** Takes a task of any user, without a turn; null if there is none. */
    public @Nullable Runnable takeAny() {
        @Nullable Runnable task = null;
        Iterator<Queue<Runnable>> users = waiting.values().iterator();
        while (task == null && users.hasNext()) {
            Queue<Runnable> tasks = users.next();
            task = tasks.poll(); // null if it is the user of the current turn, whose last task runs
            if (tasks.isEmpty()) {
                users.remove();
            }
        }
        return task;
    }

    /** Returns whether no task waits. */
    public boolean isEmpty() {
        return waiting.isEmpty();
    }
}
