// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.talos.server.http.rest.json.ProblemException;

/**
 * The searches of a server: their number, and the slices that are searched at the same time. The number leaves half of
 * the processors to other work. A search that waits for its turn holds no thread, and each search has one slice at a
 * time. Once its time is over, its place goes to the next search, even if its client does not read.
 *
 * <p>Thread-safe.
 */
final class Searches {
    static final int MOST = 32;
    static final int MOST_OF_USER = 4;

    private final int atOnce;

    @GuardedBy("this")
    private final List<Place> places = new ArrayList<>();

    @GuardedBy("this")
    private final Deque<Runnable> waiting = new ArrayDeque<>(); // slices

    @GuardedBy("this")
    private int running; // slices

    Searches() {
        this(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
    }

    /** @param atOnce slices at most */
    Searches(int atOnce) {
        this.atOnce = atOnce;
    }

    /** The place of one search, which may leave it before it enters. Confined: the lock of all places. */
    static final class Place {
        private final String user;
        private long untilNanos; // once it was entered
        private boolean isLeft;

        Place(String user) {
            this.user = user;
        }
    }

    /**
     * Checks that there is room for one more search of a user.
     *
     * @throws ProblemException 429 or 503
     */
    synchronized void requireRoom(String user, long nowNanos) {
        places.removeIf(each -> each.untilNanos - nowNanos <= 0);
        if (places.stream().filter(each -> each.user.equals(user)).count() >= MOST_OF_USER) {
            throw ProblemException.refused(
                    429, "too-many-searches", MOST_OF_USER + " searches of yours are running at this server: end one");
        }
        if (places.size() >= MOST) {
            throw ProblemException.refused(
                    503, "too-many-searches", "as many searches are running as this server takes: try again soon");
        }
    }

    /**
     * Counts a search until {@link #leave}, or until its time is over and another one needs its place. Does nothing if
     * the search has left: it is closed on another thread.
     *
     * @throws ProblemException 429 or 503
     */
    synchronized void enter(Place place, long nowNanos, long untilNanos) {
        if (place.isLeft) {
            return;
        }
        requireRoom(place.user, nowNanos);
        place.untilNanos = untilNanos;
        places.add(place);
    }

    /** Returns whether a search still has its place. */
    synchronized boolean has(Place place) {
        return places.contains(place);
    }

    /** Counts a search no longer, and never if it has not entered yet. May be called again. */
    synchronized void leave(Place place) {
        place.isLeft = true;
        places.remove(place);
    }

    /** Returns the number of searches. */
    synchronized int count() {
        return places.size();
    }

    /**
     * Runs a slice once it has its turn. The next slice gets its turn before the code that waits for this one
     * continues.
     */
    <T> CompletionStage<T> run(Executor threads, Supplier<T> slice) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable task = () -> threads.execute(() -> {
            T found;
            try {
                found = slice.get();
            } catch (RuntimeException | Error e) {
                next();
                result.completeExceptionally(e);
                return;
            }
            next();
            result.complete(found);
        });
        synchronized (this) {
            if (running == atOnce) {
                waiting.add(task);
                return result;
            }
            running++;
        }
        task.run();
        return result;
    }

    private void next() {
        Runnable task;
        synchronized (this) {
            task = waiting.poll();
            if (task == null) {
                running--;
                return;
            }
        }
        task.run();
    }
}
