// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Shows the progress of long work on standard error. On a terminal this is a line that is redrawn, with a bar if the
 * end is known. Elsewhere it is a plain line now and then if the end is known, so that logs stay readable. Work that
 * ends within half a second shows nothing.
 *
 * <p>Thread-safe.
 */
public final class Progress implements AutoCloseable {
    /** The width of the bar: 80 columns have room for it with a name, percent, amount, rate and time. */
    private static final int BAR = 20;

    private static final int NAME = 12;
    private static final int LINE = 79;
    private static final long SILENT_NANOS = 500_000_000L;
    private static final long REDRAW_NANOS = 100_000_000L;
    private static final long LINE_NANOS = 10_000_000_000L;
    private static final double NANOS = 1e9;
    private static final int PERCENT = 100;

    private final PrintWriter err;
    private final boolean terminal;
    private final LongSupplier nanos;
    private final String name;
    private final Unit unit;
    private final long begun;

    @GuardedBy("this")
    private long whole;

    @GuardedBy("this")
    private long done;

    @GuardedBy("this")
    private long shownNanos;

    @GuardedBy("this")
    private boolean drawn;

    @GuardedBy("this")
    private boolean ended;

    /** The unit that is counted. */
    public enum Unit {
        BYTES,
        MESSAGES,
        PARTITIONS,
        STEPS;

        private String amount(long done) {
            return this == BYTES ? Units.bytes(done) : Units.count(done) + " " + name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Creates the progress of work that begins now.
     *
     * @param err where it is shown
     * @param name of the work, in a word or two
     * @param whole amount of work; 0 if it is unknown
     */
    public Progress(CommandContext context, PrintWriter err, String name, Unit unit, long whole) {
        this(err, context.watched(), CommandTime.nanos(), name, unit, whole);
    }

    /** Returns the progress of work that shows nothing. */
    public static Progress silent() {
        return new Progress(new PrintWriter(Writer.nullWriter()), false, CommandTime.nanos(), "", Unit.STEPS, 0);
    }

    Progress(PrintWriter err, boolean terminal, LongSupplier nanos, String name, Unit unit, long whole) {
        this.err = err;
        this.terminal = terminal;
        this.nanos = nanos;
        this.name = name;
        this.unit = unit;
        this.whole = whole;
        begun = nanos.getAsLong();
        shownNanos = begun + (terminal ? SILENT_NANOS - REDRAW_NANOS : 0);
    }

    /** Adds to the amount of work that is done. */
    public void add(long more) {
        change(before -> before + more);
    }

    /** Sets the amount that is done and the whole amount, which may have changed. */
    public synchronized void at(long doneNow, long wholeNow) {
        whole = wholeNow;
        change(before -> doneNow);
    }

    private synchronized void change(LongUnaryOperator change) {
        done = change.applyAsLong(done);
        long now = nanos.getAsLong();
        if (ended || now - shownNanos < (terminal ? REDRAW_NANOS : LINE_NANOS) || isEndless()) {
            return;
        }
        shownNanos = now;
        drawn = true;
        show(line(now));
    }

    /** Progress that may continue forever is not written to a log. */
    @GuardedBy("this")
    private boolean isEndless() {
        return !terminal && whole <= 0;
    }

    private void show(String line) {
        err.print(terminal ? "\r" + line + "\033[K" : line + System.lineSeparator());
        err.flush();
    }

    /** Returns the line; without a bar if the end is unknown, or the output is no terminal. */
    @GuardedBy("this")
    private String line(long now) {
        Duration time = Duration.ofNanos(now - begun);
        double seconds = Math.max(1e-3, time.toNanos() / NANOS);
        String rate = (unit == Unit.BYTES ? Units.bytes((long) (done / seconds)) : Units.rate(done / seconds)) + "/s";
        String line = whole <= 0 ? "%-" + NAME + "s %s  %s  %s" : "%-" + NAME + "s " + bar() + "%3d %%  %s  %s  %s";
        Object[] parts = whole <= 0
                ? new Object[] {name, unit.amount(done), rate, Units.clock(time)}
                : new Object[] {name, percent(), unit.amount(done), rate, left(seconds)};
        String text = String.format(Locale.ROOT, line, parts);
        return text.length() > LINE && terminal ? text.substring(0, LINE) : text;
    }

    @GuardedBy("this")
    private String bar() {
        if (!terminal) {
            return "";
        }
        int full = (int) (Math.min(done, whole) * (double) BAR / whole);
        return "[" + "#".repeat(full) + "-".repeat(BAR - full) + "] ";
    }

    @GuardedBy("this")
    private long percent() {
        return (long) (Math.min(done, whole) * (double) PERCENT / whole);
    }

    /** Returns the remaining time at the mean speed so far. */
    @GuardedBy("this")
    private String left(double seconds) {
        if (done <= 0) {
            return "";
        }
        double left = Math.max(0, whole - done) * seconds / done;
        return Units.clock(Duration.ofSeconds((long) Math.ceil(left))) + " left";
    }

    /** Removes the line from the terminal; elsewhere the printed lines stay. Shows nothing from now on. */
    public synchronized void end() {
        if (terminal && drawn && !ended) {
            show("");
        }
        ended = true;
    }

    @Override
    public void close() {
        end();
    }
}
