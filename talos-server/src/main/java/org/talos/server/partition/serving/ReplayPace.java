// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleConsumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.log.Slice;
import org.talos.server.runtime.thread.Continuation;
import org.talos.server.runtime.time.Ticker;

/**
 * Paces reads from storage while puts need the processors. A client that replays a topic requests the next messages as
 * soon as it has the last ones, and so uses as many processors as it can get. Puts and reads at the tail would wait
 * behind it.
 *
 * <p>While the processors are nearly used up and messages are put, all replays together halve their rate with each
 * measurement, but always read somewhat more bytes than are put. While there is room, they read more and more. No read
 * waits longer than a second, or half of its time, however many there are. Without puts, no read waits.
 *
 * <p>Thread-safe.
 */
public final class ReplayPace {
    private static final Logger LOG = LoggerFactory.getLogger(ReplayPace.class);

    /** Beyond this use of the processors, replays leave room to others. */
    private static final double BUSY = 0.75;

    private static final double SLOWER = 0.5;
    private static final double FASTER = 1.5;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    /** Measurements that waited for a thread and arrive together say nothing about the load. */
    private static final long LEAST_BETWEEN_NANOS = LOOK_NANOS / 2;

    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The time without a put after which there are none, and without a measurement after which the load is unknown. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The longest time whose unused reads may be caught up later. */
    private static final double MOST_SAVED_SECONDS = 0.1;

    private static final double LEAST_A_SECOND = 16 << 20; // bytes, beside as many as are put
    /** A read costs as much as this number of bytes, however few it returns. */
    private static final double LEAST_OF_READ = 64 << 10;

    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Ticker ticker;
    private final Alarm alarm;
    private final Executor looks;
    private final DoubleSupplier busy;
    private final LongSupplier putBytes;
    private final Runnable onWait;
    private final AtomicLong lookedNanos;
    private final AtomicBoolean looking = new AtomicBoolean();

    @GuardedBy("this")
    private final Queue<Waiting> queue = new PriorityQueue<>();

    @GuardedBy("this")
    private long alarmNanos = Long.MAX_VALUE; // when the next alarm is due; none

    @GuardedBy("this")
    private double rate = Double.POSITIVE_INFINITY; // bytes a second

    @GuardedBy("this")
    private long ratedNanos; // when the rate was set

    @GuardedBy("this")
    private double balance; // bytes that may be read now; negative after reading ahead

    @GuardedBy("this")
    private long filledNanos; // when the balance was right

    @GuardedBy("this")
    private double average = LEAST_OF_READ; // cost of a read: claimed before it is known

    @GuardedBy("this")
    private double readSince; // bytes, since the last look

    @GuardedBy("this")
    private double inUse; // of the processors, smoothed

    @GuardedBy("this")
    private double putRate; // bytes a second, smoothed

    @GuardedBy("this")
    private long putBefore;

    @GuardedBy("this")
    private long putNanos; // when there was more than before

    /** Runs a task at an instant of the ticker, or a little later. */
    @FunctionalInterface
    public interface Alarm {
        /** Must not block, nor run the task itself. */
        void at(long nanos, Runnable task);
    }

    /** A read that waits for its turn; the first is the one whose time ends first. */
    private record Waiting(long untilNanos, DoubleConsumer start) implements Comparable<Waiting> {
        @Override
        public int compareTo(Waiting other) {
            return Long.compare(untilNanos - other.untilNanos, 0);
        }
    }

    /**
     * Creates a pace at which no read waits at first.
     *
     * @param looks runs the measurement of the processors' use, at most four times a second: it may read files
     * @param busy share of the machine's or the container's processors in use since the last call
     * @param putBytes bytes put so far
     * @param onWait called for each read that waits
     */
    public ReplayPace(
            Ticker ticker, Alarm alarm, Executor looks, DoubleSupplier busy, LongSupplier putBytes, Runnable onWait) {
        this.ticker = ticker;
        this.alarm = alarm;
        this.looks = looks;
        this.busy = busy;
        this.putBytes = putBytes;
        this.onWait = onWait;
        filledNanos = ticker.nanos();
        ratedNanos = filledNanos - STALE_NANOS;
        lookedNanos = new AtomicLong(ratedNanos);
    }

    /**
     * Begins a read from storage, now or when it is its turn; completes as the read does.
     *
     * @param where begins it after a wait; null for the alarm's thread
     */
    CompletionStage<Slice> read(
            long deadlineNanos, @Nullable Continuation where, Supplier<CompletionStage<Slice>> read) {
        look();
        CompletableFuture<Slice> result = new CompletableFuture<>();
        double claimed = claim(deadlineNanos, later -> resume(where, () -> begin(read, later), result));
        if (claimed > 0) {
            return begin(read, claimed);
        }
        onWait.run();
        return result;
    }

    private CompletionStage<Slice> begin(Supplier<CompletionStage<Slice>> read, double claimed) {
        CompletionStage<Slice> begun;
        try {
            begun = read.get();
        } catch (RuntimeException | Error e) { // the pool is full, or closed
            ended(claimed, 0);
            throw e;
        }
        var unused = begun.whenComplete((slice, error) -> ended(claimed, slice == null ? 0 : slice.bytes()));
        return begun;
    }

    private static void resume(
            @Nullable Continuation where, Supplier<CompletionStage<Slice>> read, CompletableFuture<Slice> result) {
        try {
            if (where == null) {
                follow(read, result);
            } else {
                where.executeLast(() -> follow(read, result));
            }
        } catch (RuntimeException | Error e) { // the connection has ended
            result.completeExceptionally(e);
        }
    }

    private static void follow(Supplier<CompletionStage<Slice>> read, CompletableFuture<Slice> result) {
        try {
            var unused = read.get().whenComplete((slice, error) -> {
                if (error == null) {
                    result.complete(slice);
                } else {
                    result.completeExceptionally(error);
                }
            });
        } catch (RuntimeException | Error e) { // not on a thread of the waiting reads
            result.completeExceptionally(e);
        }
    }

    /** Claims the cost of a read; returns 0 if it is not its turn: it starts with a later claim then. */
    private synchronized double claim(long deadlineNanos, DoubleConsumer start) {
        long now = ticker.nanos();
        fill(now);
        if (queue.isEmpty() && balance >= 0) {
            balance -= average;
            return average;
        }
        long patience = Math.min(LONGEST_WAIT_NANOS, Math.max(0, deadlineNanos - now) / 2);
        queue.add(new Waiting(now + patience, start));
        setAlarm(now);
        return 0;
    }

    @GuardedBy("this")
    private void setAlarm(long now) {
        Waiting first = queue.peek();
        if (first == null) {
            return;
        }
        double untilFilled = balance >= 0 ? 0 : Math.min((double) LOOK_NANOS, -balance / rate * NANOS);
        long due = now + Math.min((long) untilFilled, Math.max(0, first.untilNanos - now));
        boolean lost = now - alarmNanos > LOOK_NANOS; // there was no memory for it
        if (alarmNanos == Long.MAX_VALUE || due - alarmNanos < 0 || lost) {
            alarmNanos = due;
            alarm.at(due, () -> beginDue(due));
        }
    }

    private void beginDue(long alarmedNanos) {
        due(alarmedNanos).forEach(Runnable::run);
        look();
    }

    private synchronized List<Runnable> due(long alarmedNanos) {
        if (alarmNanos != alarmedNanos) {
            return List.of(); // an earlier one has overtaken this alarm, and has set another
        }
        long now = ticker.nanos();
        alarmNanos = Long.MAX_VALUE;
        fill(now);
        List<Runnable> due = new ArrayList<>();
        for (Waiting next = queue.peek();
                next != null && (balance >= 0 || now - next.untilNanos >= 0);
                next = queue.peek()) {
            DoubleConsumer start = queue.remove().start;
            double claimed = average;
            balance -= claimed;
            due.add(() -> start.accept(claimed));
        }
        setAlarm(now);
        return due;
    }

    private synchronized void ended(double claimed, long bytes) {
        double cost = Math.max((double) bytes, LEAST_OF_READ);
        average += (cost - average) / 8;
        readSince += cost;
        balance += claimed - cost;
        setAlarm(ticker.nanos());
    }

    @GuardedBy("this")
    private void fill(long now) {
        double seconds = (now - filledNanos) / NANOS;
        filledNanos = now;
        balance = Double.isInfinite(rate)
                ? Double.MAX_VALUE
                : Math.max(-rate, Math.min(rate * MOST_SAVED_SECONDS, balance + rate * seconds));
    }

    /** Sets the rate again if it is time. */
    private void look() {
        long now = ticker.nanos();
        long last = lookedNanos.get();
        if (now - last >= LOOK_NANOS && lookedNanos.compareAndSet(last, now)) {
            try {
                looks.execute(this::lookAlone);
            } catch (RejectedExecutionException e) {
                LOG.debug("replay pace update failed, pace unchanged", e);
            }
        }
    }

    /** One at a time: of two measurements that had waited together, the second would show almost idle processors. */
    private void lookAlone() {
        if (looking.compareAndSet(false, true)) {
            try {
                if (isDue()) {
                    setRate(asked());
                }
            } finally {
                looking.set(false);
            }
        }
    }

    private synchronized boolean isDue() {
        return ticker.nanos() - ratedNanos >= LEAST_BETWEEN_NANOS;
    }

    private double asked() {
        try {
            double asked = busy.getAsDouble();
            return asked > 0 ? asked : 0; // not known: below 0, or no number
        } catch (RuntimeException e) { // as some versions of the JDK do when a file of the system cannot be opened
            LOG.debug("processor load unknown", e);
            return 0;
        }
    }

    private synchronized void setRate(double nowInUse) {
        long now = ticker.nanos();
        fill(now);
        long since = now - ratedNanos;
        ratedNanos = now;
        double seconds = since / NANOS;
        long put = putBytes.getAsLong();
        double nowPut = (put - putBefore) / seconds;
        boolean stale = since >= STALE_NANOS && queue.isEmpty();
        if (stale) {
            putNanos = now - STALE_NANOS;
        } else if (put != putBefore) {
            putNanos = now;
        }
        putRate = stale ? 0 : (putRate + nowPut) / 2;
        inUse = stale ? nowInUse : (inUse + nowInUse) / 2;
        rate = stale || now - putNanos >= STALE_NANOS ? Double.POSITIVE_INFINITY : next(readSince / seconds);
        putBefore = put;
        readSince = 0;
    }

    @GuardedBy("this")
    private double next(double readRate) {
        return inUse > BUSY
                ? Math.max(putRate + LEAST_A_SECOND, Math.min(rate, readRate) * SLOWER)
                : Math.max(rate, readRate) * FASTER;
    }
}
