// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows on a terminal, each second, the elapsed time of work without a known length. Elsewhere, and in the first half
 * second, it shows nothing.
 *
 * <p>Thread-safe.
 */
public final class Waiting implements AutoCloseable {
    private static final long SILENT_MILLIS = 500;
    private static final long REDRAW_MILLIS = 1_000;
    private static final String ERASE = "\r\033[K";

    private final CommandContext context;
    private final PrintWriter err;
    private final LongSupplier nanos;
    private final String name;
    private final long begun;
    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = Executors.defaultThreadFactory().newThread(task);
        thread.setDaemon(true);
        return thread;
    });

    @GuardedBy("this")
    private boolean drawn;

    @GuardedBy("this")
    private boolean ended;

    Waiting(CommandContext context, PrintWriter err, LongSupplier nanos, String name) {
        this.context = context;
        this.err = err;
        this.nanos = nanos;
        this.name = name;
        begun = nanos.getAsLong();
    }

    /**
     * Creates the display of work that begins now.
     *
     * @param err where it is shown
     * @param name of it, in a word or two
     */
    public static Waiting begin(CommandContext context, PrintWriter err, String name) {
        Waiting waiting = new Waiting(context, err, CommandTime.nanos(), name);
        if (context.watched()) {
            var unused = waiting.ticker.scheduleWithFixedDelay(
                    waiting::draw, SILENT_MILLIS, REDRAW_MILLIS, TimeUnit.MILLISECONDS);
        }
        return waiting;
    }

    /** Work that the command waits for. */
    @FunctionalInterface
    public interface Work<T, E extends Exception> {
        /** Returns when the work is done. */
        T run() throws E;
    }

    /** Shows the elapsed time while work runs, and returns its result. */
    public static <T, E extends Exception> T during(
            CommandContext context, PrintWriter err, String name, Work<T, E> work) throws E {
        Waiting waiting = begin(context, err, name);
        try {
            return work.run();
        } finally {
            waiting.close();
        }
    }

    /** Returns the context of the running command: it removes the line before it prints. */
    public CommandContext context() {
        OutputStream out = new FilterOutputStream(context.out()) {
            @Override
            public void write(int each) throws IOException {
                erase();
                out.write(each);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                erase();
                out.write(bytes, from, length);
            }
        };
        return new CommandContext(
                context.environment(),
                context.in(),
                out,
                context.home(),
                context.terminal(),
                context.interactive(),
                context.watched());
    }

    synchronized void draw() {
        if (ended) {
            return; // the ticker was about to draw
        }
        drawn = true;
        err.print("\r" + name + "  " + Units.clock(Duration.ofNanos(nanos.getAsLong() - begun)) + "\033[K");
        err.flush();
    }

    private synchronized void erase() {
        if (drawn) {
            drawn = false;
            err.print(ERASE);
            err.flush();
        }
    }

    /** Removes the line from the terminal, and shows nothing any more. */
    public synchronized void end() {
        ended = true;
        ticker.shutdownNow();
        erase();
    }

    @Override
    public void close() {
        end();
    }
}
