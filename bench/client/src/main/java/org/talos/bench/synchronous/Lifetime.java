// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.Callable;

/** The end of a process that another one has started: with that one, and after a longest time. Immutable. */
public final class Lifetime {
    private static final int ENDED = 143; // as if by SIGTERM

    private Lifetime() {}

    /**
     * Ends this process after a time, whatever it does.
     *
     * @return waits for that; interrupted, it does so no longer
     */
    public static Thread atMost(Duration time) {
        return inBackground("lifetime", () -> {
            Thread.sleep(time.toMillis());
            System.err.println("ended after " + time);
        });
    }

    /**
     * Runs a step of this process, and ends the process if the step takes too long. It then prints where the step
     * waits, and last its name.
     *
     * @param step name of the step, for people
     */
    static <T> T within(Duration longest, String step, Callable<T> work) throws Exception {
        Thread caller = Thread.currentThread();
        Thread bound = inBackground("bound", () -> {
            Thread.sleep(longest.toMillis());
            for (StackTraceElement each : caller.getStackTrace()) {
                System.err.println("    at " + each);
            }
            System.err.println(step + " did not end within " + longest.toSeconds() + " s: it waits as above");
        });
        try {
            return work.call();
        } finally {
            bound.interrupt();
        }
    }

    /** Ends this process with the one that started it: when its standard input ends. Nobody else may read that. */
    public static void asLongAsItsParent() {
        var unused = inBackground("parent", () -> System.in.transferTo(OutputStream.nullOutputStream()));
    }

    /** Waits for the end. */
    private interface Wait {
        void untilTheEnd() throws IOException, InterruptedException;
    }

    private static Thread inBackground(String name, Wait wait) {
        Thread thread = new Thread(() -> end(wait), name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void end(Wait wait) {
        try {
            wait.untilTheEnd();
        } catch (IOException e) {
            System.err.println("standard input: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        Runtime.getRuntime().halt(ENDED);
    }
}
