// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.error.TalosException;
import org.talos.server.log.Block;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.thrift.ErrorCode;

/** Readers that ask again at once, on a clock that goes by hand. */
class ReplayPaceTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int READ = 512 << 10;
    private static final double MIB = 1 << 20;
    private static final Slice LARGE = slice(READ);

    private final PriorityQueue<Due> alarms = new PriorityQueue<>();
    private final AtomicInteger waited = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private final List<Runnable> held = new ArrayList<>();
    private Executor looks = Runnable::run;
    private Runnable whileAsked = () -> {};
    private long now = 7 * SECOND;
    private double busy;
    private long patienceNanos = 10 * SECOND;
    private double putBytes;
    private double putsASecond;
    private long millisOfPut = 1; // between two
    private long bytesRead;
    private long longestWaitNanos;
    private final ReplayPace pace = new ReplayPace(
            () -> now,
            (nanos, task) -> alarms.add(new Due(nanos, task)),
            look -> looks.execute(look),
            () -> {
                asked.incrementAndGet();
                whileAsked.run();
                return busy;
            },
            () -> (long) putBytes,
            waited::incrementAndGet);

    private record Due(long nanos, Runnable task) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return Long.compare(nanos, other.nanos);
        }
    }

    private static Slice slice(int bytes) {
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.allocate(bytes));
        return new Slice(List.of(new StoredBlock(0, 0, block)), 0, 1);
    }

    /** One of so many readers; a read takes ten milliseconds. */
    private void replay(int bytes) {
        long asked = now;
        Slice found = bytes == READ ? LARGE : slice(bytes);
        CompletableFuture<Slice> read = new CompletableFuture<>();
        var unused = pace.read(now + patienceNanos, null, () -> {
                    longestWaitNanos = Math.max(longestWaitNanos, now - asked);
                    alarms.add(new Due(now + 10 * MILLI, () -> read.complete(found)));
                    return read;
                })
                .thenRun(() -> {
                    bytesRead += bytes;
                    replay(bytes);
                });
    }

    private void go(long nanos) {
        long end = now + nanos;
        bytesRead = 0;
        longestWaitNanos = 0;
        while (now < end) {
            now += MILLI;
            if (now / MILLI % millisOfPut == 0) {
                putBytes += putsASecond * millisOfPut * MILLI / SECOND;
            }
            List<Due> due = new ArrayList<>();
            while (!alarms.isEmpty() && alarms.peek().nanos <= now) {
                due.add(alarms.poll());
            }
            due.forEach(each -> each.task.run());
        }
    }

    private double mebibytesASecond(long nanos) {
        go(nanos);
        return bytesRead / MIB * SECOND / nanos;
    }

    private void begin(int readers) {
        for (int i = 0; i < readers; i++) {
            replay(READ);
        }
    }

    @Test
    void nobodyWaitsWhileNothingIsPut() {
        busy = 1;
        begin(40);

        assertThat(mebibytesASecond(5 * SECOND)).isCloseTo(2_000, within(50.0));
        assertThat(waited).hasValue(0);
    }

    /** As many had been asked for while no thread was free, and end one right after the other. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void looksThatComeTogetherAreOne(long nanosBetween) {
        busy = 0.9;
        putsASecond = 80 * MIB;
        begin(40);
        go(3 * SECOND);
        looks = held::add;
        go(SECOND);
        int before = asked.get();
        whileAsked = () -> held.get(0).run(); // as by another thread
        held.get(0).run();
        busy = 0;
        for (int i = 0; i < 40; i++) {
            now += nanosBetween;
            held.get(0).run();
        }
        busy = 0.9;
        looks = Runnable::run;

        assertThat(asked).hasValue(before + 1);
        whileAsked = () -> {};
        assertThat(mebibytesASecond(SECOND / 5)).isCloseTo(96, within(20.0));
    }

    @Test
    void nobodyWaitsWhileThereIsRoom() {
        busy = 0.7;
        putsASecond = 80 * MIB;
        begin(40);

        assertThat(mebibytesASecond(5 * SECOND)).isCloseTo(2_000, within(50.0));
        assertThat(waited).hasValue(0);
    }

    @Test
    void replaysReadAsMuchAsIsPutAndABitMoreWhileTheProcessorsAreNeeded() {
        busy = 0.9;
        putsASecond = 80 * MIB;
        begin(40);
        go(3 * SECOND);

        assertThat(mebibytesASecond(5 * SECOND)).isCloseTo(96, within(10.0));
        assertThat(waited.get()).isPositive();
        assertThat(longestWaitNanos).isLessThan(SECOND);
    }

    @Test
    void theyReadAllThatTheyCanOnceThereIsRoomOrNobodyPuts() {
        busy = 0.9;
        putsASecond = 80 * MIB;
        begin(40);
        go(3 * SECOND);

        busy = 0.5;
        go(3 * SECOND);
        assertThat(mebibytesASecond(SECOND)).as("room").isCloseTo(2_000, within(50.0));

        busy = 0.9;
        go(3 * SECOND);
        assertThat(mebibytesASecond(SECOND)).isLessThan(200);
        putsASecond = 0;
        go(2 * SECOND);
        assertThat(mebibytesASecond(SECOND)).as("no puts").isCloseTo(2_000, within(50.0));
    }

    /** Less than the pace would be: their requests have deadlines. */
    @Test
    void noReadWaitsLongerThanASecondHoweverManyThereAre() {
        busy = 1;
        putsASecond = MIB;
        begin(1_000);

        assertThat(mebibytesASecond(5 * SECOND)).isGreaterThan(400);
        assertThat(longestWaitNanos).isLessThanOrEqualTo(SECOND + 2 * MILLI);
    }

    /** A member of a group that has little time would lose its read to each wait. */
    @Test
    void readsWaitForHalfOfTheirTimeAtMost() {
        busy = 1;
        putsASecond = MIB;
        patienceNanos = 300 * MILLI;
        begin(200);

        go(5 * SECOND);

        assertThat(waited.get()).isPositive();
        assertThat(longestWaitNanos).isBetween(100 * MILLI, 152 * MILLI);
    }

    @Test
    void fewLargePutsArePutsToo() {
        busy = 0.9;
        putsASecond = 80 * MIB;
        millisOfPut = 500;
        begin(40);
        go(3 * SECOND);

        assertThat(mebibytesASecond(5 * SECOND)).isBetween(80.0, 150.0);
    }

    /** Checks that a read claims the average cost of others. */
    @Test
    void replaysOfAnyLengthReadAsMuchAsIsPutAndABitMore() {
        busy = 0.9;
        putsASecond = 80 * MIB;
        for (int i = 0; i < 10; i++) {
            replay(200_000);
            replay(4 << 20);
        }
        go(3 * SECOND);

        assertThat(mebibytesASecond(5 * SECOND)).isCloseTo(96, within(15.0));
        go(60 * SECOND);
        assertThat(alarms).as("20 reads at most, and some alarms").hasSizeLessThan(40);
    }

    @Test
    void whereNobodyKnowsHowBusyTheProcessorsAreNobodyWaits() {
        for (double unknown : new double[] {-1, Double.NaN}) {
            busy = unknown;
            putsASecond = 80 * MIB;
            begin(20);
            go(SECOND);
        }
        assertThat(waited).hasValue(0);
    }

    /** The alarm's thread has the deadlines of all requests to look after. */
    @Test
    void whatHasWaitedBeginsWhereItsRequestGoesOn() {
        busy = 1;
        putsASecond = 80 * MIB;
        begin(40);
        go(3 * SECOND);
        List<Runnable> tasks = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();

        var left = pace.read(now + SECOND, tasks::add, () -> CompletableFuture.completedFuture(LARGE));
        var unused = pace.read(
                        now + SECOND,
                        task -> {
                            throw new RejectedExecutionException("the connection has ended");
                        },
                        () -> CompletableFuture.completedFuture(LARGE))
                .whenComplete((slice, error) -> failures.add(error));
        go(SECOND);

        assertThat(left).isNotDone();
        assertThat(tasks).hasSize(1);
        tasks.get(0).run();
        assertThat(left).isCompletedWithValue(LARGE);
        assertThat(failures).hasSize(1).hasOnlyElementsOfType(RejectedExecutionException.class);
    }

    /** Checks that reads are paced by their number too, because not bytes alone take processors. */
    @Test
    void smallReadsArePacedByTheirNumber() {
        busy = 1;
        putsASecond = 16 * MIB;
        for (int i = 0; i < 100; i++) {
            replay(100);
        }
        go(3 * SECOND);

        go(SECOND);
        assertThat(bytesRead / 100).as("reads a second").isBetween(400L, 700L);
    }

    @Test
    void whatCannotBeReadFailsAsItDoesWithoutWaiting() {
        TalosException full = TalosException.refused(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "full");

        assertThatThrownBy(() -> pace.read(now + patienceNanos, null, () -> {
                    throw full;
                }))
                .isSameAs(full);

        busy = 1;
        putsASecond = 80 * MIB;
        begin(40);
        go(3 * SECOND);
        List<Throwable> failures = new ArrayList<>();
        var unused = pace.read(now + patienceNanos, null, () -> {
                    throw full;
                })
                .whenComplete((slice, error) -> failures.add(error));
        assertThat(failures).isEmpty();
        go(2 * SECOND);
        assertThat(failures).containsExactly(full);
    }
}
