// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Closes a producer or consumer together with its client, and knows which threads run the program's code for it:
 * closing on such a thread would wait for itself. Not for programs.
 *
 * <p>Thread-safe.
 */
public final class Closing {
    private final boolean isConsumer;
    private final Consumer<Optional<Duration>> close;
    private final ThreadLocal<@Nullable Boolean> callingBack = new ThreadLocal<>();

    private Closing(boolean isConsumer, Consumer<Optional<Duration>> close) {
        this.isConsumer = isConsumer;
        this.close = close;
    }

    /** @param close closes it, and waits for that: for a time, or for its own timeout where there is none */
    public static Closing ofConsumer(Consumer<Optional<Duration>> close) {
        return new Closing(true, close);
    }

    /** @param close closes it, and waits for that: for a time, or for its own timeout where there is none */
    public static Closing ofProducer(Consumer<Optional<Duration>> close) {
        return new Closing(false, close);
    }

    /** Runs a task that may call the program's code. */
    public void callBack(Runnable task) {
        Boolean before = callingBack.get(); // true on the caller's thread, where a task runs if no thread is left
        callingBack.set(true);
        try {
            task.run();
        } finally {
            if (before == null) {
                callingBack.remove();
            }
        }
    }

    /** Returns whether this thread is in {@link #callBack}. If so, waiting for the end would be waiting for itself. */
    public boolean isCallingBack() {
        return callingBack.get() != null;
    }

    /** Returns whether it is a consumer, whose processors may use producers. */
    boolean isConsumer() {
        return isConsumer;
    }

    /** Closes it, and waits for that. */
    void close(Optional<Duration> within) {
        close.accept(within);
    }
}
