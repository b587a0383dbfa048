// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

@Timeout(60)
class SegmentCopierTest {
    private static final int PIECE = 1 << 20;

    /** Gate that a write runs into. */
    private interface Gate {
        void pass() throws IOException;
    }

    private final Map<Long, Gate> gates = new ConcurrentHashMap<>();
    private final AtomicLong nanos = new AtomicLong();
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final CountedThreads threads = new CountedThreads();
    private final JournaledSegment small = segment(100);
    private final JournaledSegment middle = segment(200);
    private final JournaledSegment large = segment(300);

    @Test
    void segmentThatHasGatheredAPieceIsCopiedAtOnceAndTheOthersWhenNothingElseIsToDo() throws Exception {
        gather(small, 10);
        gather(large, PIECE);
        try (SegmentCopier copier = copier(100L * PIECE)) {
            copier.gathered(small);
            copier.gathered(large);
            copier.start(List::of);

            assertThat(next()).isEqualTo("copied 300: " + PIECE);
            assertThat(next()).isEqualTo("copied 100: 10");
        }
    }

    @Test
    void largestAreCopiedFirstWhenTooMuchIsOnlyInTheJournal() throws Exception {
        gather(small, 100);
        gather(middle, 200);
        gather(large, 300);
        try (SegmentCopier copier = copier(1_000)) {
            assertThat(copier.tryReserve(small, 600)).isTrue(); // over half: 375 is where a round ends
            copier.start(List::of);

            assertThat(next()).isEqualTo("copied 300: 300");
            assertThat(next()).isEqualTo("copied 100: 100");
            assertThat(next()).isEqualTo("copied 200: 200");
        }
    }

    @Test
    void segmentThatNobodyWritesAnyMoreIsLetGoWhileOthersKeepTheCopierBusy() throws Exception {
        small.release();
        gather(large, PIECE);
        try (SegmentCopier copier = copier(100L * PIECE)) {
            copier.gathered(large);
            copier.start(List::of);

            assertThat(next()).isEqualTo("copied 300: " + PIECE);
            assertThat(next()).isEqualTo("released 100");
        }
    }

    @Test
    void segmentForWhichThereWasNoThreadIsCopiedLater() throws Exception {
        gather(large, PIECE);
        threads.refusals.set(1);
        try (SegmentCopier copier = copier(100L * PIECE)) {
            copier.gathered(large);
            copier.start(List::of);

            assertThat(next()).isEqualTo("copied 300: " + PIECE);
        }
    }

    @Test
    void segmentsThatAreWholeCostARoundNothing() throws Exception {
        gather(large, 10); // the last of them: those before it would have been copied too
        try (SegmentCopier copier = copier(100L * PIECE)) {
            copier.start(List::of);

            assertThat(next()).isEqualTo("copied 300: 10");
        }
        assertThat(threads.copies).hasValue(1);
    }

    @Test
    void segmentThatHangsHoldsUpNoOther() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        gates.put(300L, () -> {
            hanging.countDown();
            await(gate);
        });
        gather(large, PIECE);
        try (SegmentCopier copier = copier(100L * PIECE)) {
            copier.gathered(large);
            copier.start(List::of);
            hanging.await();
            gather(small, 10);
            nanos.set(TimeUnit.SECONDS.toNanos(2)); // from now on it takes nobody's place

            assertThat(next()).isEqualTo("copied 100: 10");

            nanos.set(TimeUnit.SECONDS.toNanos(30));
            while (large.failure() == null) {
                copier.want();
                Thread.onSpinWait();
            }
            assertThat(copier.failure())
                    .hasValueSatisfying(why -> assertThat(why).contains("has not ended"));
            gate.countDown();
        }
        assertThat(next()).isEqualTo("copied 300: " + PIECE);
    }

    @Test
    void segmentThatFailsForLongTakesNothingMoreAndSaysWhy() throws Exception {
        gates.put(100L, () -> {
            throw new IOException("made to fail");
        });
        gather(small, 10);
        try (SegmentCopier copier = copier(100L * PIECE)) {
            assertThatThrownBy(() -> copier.copy(small)).hasMessage("made to fail");
            assertThat(copier.failure()).isEmpty();
            nanos.set(SegmentCopier.ABANDONED_NANOS);
            assertThat(copier.tryReserve(middle, 1)).isTrue();
            CompletableFuture<Void> reserved = copier.reserve(small, 1000L * PIECE); // more than there ever is

            copier.start(List::of);

            assertThatThrownBy(reserved::join).cause().isInstanceOfSatisfying(StorageException.class, e -> {
                assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE);
                assertThat(e.effect()).isEqualTo(Effect.NONE);
                assertThat(e).hasMessageContaining("made to fail");
            });
            assertThat(middle.failure()).isNull();
            gates.clear();
            copier.copy(small);
            assertThat(copier.failure()).isEmpty();
        }
    }

    private static void await(CountDownLatch gate) throws IOException {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private String next() throws InterruptedException {
        String event = events.poll(30, TimeUnit.SECONDS);
        return event == null ? "nothing in 30 s" : event;
    }

    private SegmentCopier copier(long maxUnwrittenBytes) {
        return new SegmentCopier(
                maxUnwrittenBytes,
                0,
                1,
                new SegmentCopier.Segments(
                        () -> List.of(small, middle, large),
                        segment -> events.add("released " + segment.name().baseOffset()),
                        segment -> events.add("deleted " + segment.name().baseOffset())),
                nanos::get,
                threads);
    }

    private JournaledSegment segment(long base) {
        return new JournaledSegment(new SegmentName(new LogId("7".repeat(32), 0), base, 1), new CountedFile(base));
    }

    private static void gather(JournaledSegment segment, int bytes) throws StorageException {
        segment.take(List.of(ByteBuffer.allocate(bytes)));
        segment.durable(bytes);
        segment.settled();
    }

    /** The machine's threads, and how many copies they have begun. */
    private static final class CountedThreads implements Threads {
        private final Threads system = new SystemThreads();
        private final AtomicInteger copies = new AtomicInteger();
        private final AtomicInteger refusals = new AtomicInteger(); // of copies, before any is begun

        @Override
        public Loop loop(String role, BooleanSupplier ready, BooleanSupplier step) {
            return system.loop(role, ready, step);
        }

        @Override
        public ExecutorService pool(String role, int size) {
            return new ThreadPoolExecutor(size, size, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {
                @Override
                public void execute(Runnable task) {
                    if (role.equals("segment-copies") && refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                        throw new OutOfMemoryError("unable to create native thread, on purpose");
                    }
                    super.execute(task);
                }

                @Override
                protected void beforeExecute(Thread thread, Runnable task) {
                    if (role.equals("segment-copies")) {
                        copies.incrementAndGet();
                    }
                }
            };
        }

        @Override
        public void await(Object monitor, long millis) throws InterruptedException {
            system.await(monitor, millis);
        }

        @Override
        public boolean acquire(Semaphore permits, long millis) throws InterruptedException {
            return system.acquire(permits, millis);
        }

        @Override
        public <V> V result(Future<V> future) throws InterruptedException, ExecutionException {
            return system.result(future);
        }

        @Override
        public <V> V result(Future<V> future, long millis)
                throws InterruptedException, ExecutionException, TimeoutException {
            return system.result(future, millis);
        }
    }

    /** Reports what is written to it, and keeps nothing. */
    private final class CountedFile extends KeepsNothing {
        private final long base;
        private long size;

        CountedFile(long base) {
            this.base = base;
        }

        @Override
        public void write(long position, List<ByteBuffer> bytes) throws IOException {
            Gate gate = gates.get(base);
            if (gate != null) {
                gate.pass();
            }
            long length = bytes.stream().mapToLong(ByteBuffer::remaining).sum();
            size += length;
            events.add("copied " + base + ": " + length);
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public void truncate(long length) {
            size = length;
        }
    }
}
