// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.runtime.thread.EventLoopIteration;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;

/** Which thread writes the journal, and where its futures complete. */
@Timeout(30)
class JournalThreadsTest {
    private static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 0);
    private static final String OWN = "journal";
    private static final int FILE_BYTES = 1 << 20;

    private final AtomicLong nanos = new AtomicLong();
    private final Queue<String> writers = new ConcurrentLinkedQueue<>();
    private final Queue<String> beginners = new ConcurrentLinkedQueue<>();
    private final JournaledSegment segment = new JournaledSegment(new SegmentName(LOG, 0, 1), new NotedFile());
    private volatile Runnable duringWrite = () -> {};
    private volatile boolean broken; // files cannot be written, and not be closed either
    private volatile Journal journal = journal(true);

    @AfterEach
    void close() {
        journal.close();
    }

    /**
     * A journal that has a file, and whose thread waits for work: one that is still on its way there takes what is
     * queued.
     */
    private Journal journal(boolean immediate) {
        Semaphore waits = new Semaphore(0);
        Journal made = new Journal(
                new Files(immediate),
                1,
                FILE_BYTES,
                nanos::get,
                (b, w, s) -> {},
                new Journal.Callbacks(() -> {}, bytes -> {}),
                new NotifyingThreads(waits));
        made.start();
        try {
            assertThat(waits.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
            append(made, 10).get(20, TimeUnit.SECONDS);
            assertThat(waits.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        writers.clear();
        return made;
    }

    private CompletableFuture<Void> append() throws Exception {
        return append(journal, 10);
    }

    private CompletableFuture<Void> appendToAnother() throws Exception {
        return append(journal, new JournaledSegment(new SegmentName(LOG, 1, 1), new NotedFile()), 10);
    }

    private CompletableFuture<Void> append(Journal to, int bytes) throws Exception {
        return append(to, segment, bytes);
    }

    private static CompletableFuture<Void> append(Journal to, JournaledSegment segment, int bytes) throws Exception {
        CompletableFuture<Void> done = to.append(segment, List.of(ByteBuffer.allocate(bytes)), bytes);
        to.writeQueued();
        return done;
    }

    private CompletableFuture<Void> appendInTurn(List<Runnable> end) throws Exception {
        EventLoopIteration.begin(end::add);
        try {
            return append();
        } finally {
            EventLoopIteration.leave();
        }
    }

    /** The name of the thread that wrote the last batch, without its number. */
    private String lastWriter() {
        return last(writers);
    }

    private static String last(Queue<String> names) {
        return names.stream().reduce("", (before, name) -> name).replaceAll("^talos-|-\\d+$", "");
    }

    @Test
    void whoAppendsWritesWhereThatIsImmediate() throws Exception {
        assertThat(append()).isCompleted();

        assertThat(writers).containsOnly(Thread.currentThread().getName());
    }

    @Test
    void appendsOfOneTurnAreWrittenTogetherAtItsEnd() throws Exception {
        List<Runnable> end = new ArrayList<>();
        CompletableFuture<Void> first = appendInTurn(end);
        CompletableFuture<Void> second = appendInTurn(end);
        assertThat(writers).isEmpty();
        assertThat(end).hasSize(1);

        end.get(0).run();

        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(writers).hasSize(1);
    }

    /** Its own turn may be far from its end: an append without one waits for nobody's. */
    @Test
    void appendWithoutATurnWritesWhatTheTurnsOfOthersHavePutOff() throws Exception {
        List<Runnable> end = new ArrayList<>();
        CompletableFuture<Void> putOff = appendInTurn(end);

        assertThat(append()).isCompleted();
        assertThat(putOff).isCompleted();

        end.forEach(Runnable::run);
        putOff = appendInTurn(end); // is put off again
        assertThat(putOff).isNotDone();
        end.forEach(Runnable::run);
        assertThat(putOff).isCompleted();
    }

    @Test
    void journalsThreadWritesWhereThatWaits() throws Exception {
        journal.close();
        journal = journal(false);

        append().get(20, TimeUnit.SECONDS);

        assertThat(lastWriter()).isEqualTo(OWN);
    }

    @Test
    void journalsThreadWritesForAWhileOnceAWriteWasHeldUp() throws Exception {
        duringWrite = () -> nanos.addAndGet(Duration.ofMillis(20).toNanos());
        assertThat(append()).isCompleted();
        duringWrite = () -> {};

        append().get(20, TimeUnit.SECONDS);
        assertThat(lastWriter()).isEqualTo(OWN);

        nanos.addAndGet(Duration.ofSeconds(2).toNanos());
        await().until(() -> {
            append().get(20, TimeUnit.SECONDS); // by the journal's thread until that has seen the end of its work
            return !lastWriter().equals(OWN);
        });
    }

    /** That takes syncs, for which no selector is to wait. */
    @Test
    void journalsThreadBeginsEachFile() throws Exception {
        assertThat(append(journal, FILE_BYTES)).as("by the appending thread").isCompleted();

        append().get(20, TimeUnit.SECONDS);

        assertThat(beginners).hasSize(2);
        assertThat(last(beginners)).isEqualTo(OWN);
    }

    @Test
    void whatIsAppendedWhileAnotherWritesIsWrittenByThatOneOrTheJournal() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch resume = new CountDownLatch(1);
        duringWrite = () -> {
            writing.countDown();
            try {
                assertThat(resume.await(20, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> {
            try {
                append().get(20, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(writing.await(20, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<Void> second = append(); // does not wait for the other's write
        assertThat(second).isNotDone();
        duringWrite = () -> {};
        resume.countDown();

        first.get(20, TimeUnit.SECONDS);
        second.get(20, TimeUnit.SECONDS);
        assertThat(writers).doesNotContain(Thread.currentThread().getName());
    }

    @Test
    void fileThatCanNeitherBeWrittenNorClosedKeepsNobodyWaiting() throws Exception {
        journal.close();
        journal = journal(false);
        broken = true;
        assertThat(append()).failsWithin(Duration.ofSeconds(20));

        broken = false;
        assertThat(appendToAnother()).succeedsWithin(Duration.ofSeconds(20));
    }

    @Test
    void journalThatHadNoMemoryForAWriteGoesOnInAnotherFile() throws Exception {
        duringWrite = () -> {
            throw new OutOfMemoryError("Cannot reserve direct buffer memory, on purpose");
        };
        assertThat(append()).failsWithin(Duration.ofSeconds(20));

        duringWrite = () -> {};
        assertThat(appendToAnother()).succeedsWithin(Duration.ofSeconds(20));
        assertThat(beginners).hasSize(2);
    }

    @Test
    void closingWritesWhatIsQueued() throws Exception {
        CompletableFuture<Void> left = journal.append(segment, List.of(ByteBuffer.allocate(10)), 10);

        journal.close();

        assertThat(left).isCompleted();
    }

    /** Files of a journal in memory. Thread-safe. */
    private final class Files implements JournalFiles {
        private final boolean immediate;

        Files(boolean immediate) {
            this.immediate = immediate;
        }

        @Override
        public boolean synced() {
            return false;
        }

        @Override
        public boolean survivesPowerFailures() {
            return false;
        }

        @Override
        public boolean isImmediate() {
            return immediate;
        }

        @Override
        public StoredFile begin(long number, ByteBuffer header) {
            beginners.add(Thread.currentThread().getName());
            return new NotedFile();
        }

        @Override
        public void end(long number, boolean sound) {
            // nothing is kept
        }
    }

    /** A file that keeps nothing but who wrote to it. Thread-safe. */
    private final class NotedFile extends KeepsNothing {
        @Override
        public void write(long position, List<ByteBuffer> bytes) throws IOException {
            if (broken) {
                throw new IOException("on purpose");
            }
            writers.add(Thread.currentThread().getName());
            duringWrite.run();
        }

        @Override
        public void close() {
            if (broken) {
                throw new IllegalStateException("on purpose");
            }
        }
    }

    /** The machine's threads; tells when one is about to wait, under the monitor that it gives up then. Thread-safe. */
    private static final class NotifyingThreads implements Threads {
        private final Threads threads = new SystemThreads();
        private final Semaphore waits;

        NotifyingThreads(Semaphore waits) {
            this.waits = waits;
        }

        @Override
        public Loop loop(String role, BooleanSupplier ready, BooleanSupplier step) {
            return threads.loop(role, ready, step);
        }

        @Override
        public ExecutorService pool(String role, int size) {
            return threads.pool(role, size);
        }

        @Override
        public void await(Object monitor, long millis) throws InterruptedException {
            waits.release();
            threads.await(monitor, millis);
        }

        @Override
        public boolean acquire(Semaphore permits, long millis) throws InterruptedException {
            return threads.acquire(permits, millis);
        }

        @Override
        public <V> V result(Future<V> future) throws InterruptedException, ExecutionException {
            return threads.result(future);
        }

        @Override
        public <V> V result(Future<V> future, long millis)
                throws InterruptedException, ExecutionException, TimeoutException {
            return threads.result(future, millis);
        }
    }
}
