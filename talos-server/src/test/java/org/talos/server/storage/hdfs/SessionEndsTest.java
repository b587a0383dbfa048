// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.config.Durability;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.journal.Journal;
import org.talos.server.storage.journal.OpenSegment;
import org.talos.server.storage.journal.SegmentCopier;

/** Sessions that cannot be ended at once, or cannot be begun as a whole. */
@Timeout(60)
class SessionEndsTest {
    private static final HdfsListener NOBODY = (bytes, write, sync) -> {};

    private final MemoryHdfs files = new MemoryHdfs();
    private final LimitedThreads threads = new LimitedThreads();
    private volatile boolean refusing;
    private final Hdfs hdfs = new Hdfs(
            new Hdfs.Clients(files, files),
            1 << 20,
            Duration.ofSeconds(5),
            SystemTime.ticker(),
            NOBODY,
            new SystemThreads(),
            this::pool);
    private final SegmentCopier copier = new SegmentCopier(
            1 << 20,
            0,
            1,
            new SegmentCopier.Segments(List::of, segment -> {}, segment -> {}),
            () -> 0,
            new SystemThreads());
    private final Sessions sessions = sessions();

    private Sessions sessions() {
        HdfsPaths paths = new HdfsPaths(new Path("/talos"));
        SegmentFile.Maker maker = new SegmentFile.Maker(hdfs, new ReadStreams(hdfs), paths, 1, Durability.FLUSH);
        return new Sessions(
                maker,
                1,
                new SecureRandom(),
                NOBODY,
                lane -> new Journal(
                        lane, 1, 1 << 20, () -> 0, NOBODY, new Journal.Callbacks(() -> {}, copier::release), threads),
                copier);
    }

    private ExecutorService pool(String role, int most, int maxWaiting) {
        return new ThreadPoolExecutor(
                most, most, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(maxWaiting), new NamedThreads(role)) {
            @Override
            public void execute(Runnable work) {
                if (refusing && role.equals("hdfs-closes")) {
                    throw new RejectedExecutionException("full on purpose");
                }
                super.execute(work);
            }
        };
    }

    /** Has this number of threads for loops, and then none any more. */
    private static final class LimitedThreads implements Threads {
        private final SystemThreads system = new SystemThreads();
        private final AtomicInteger left = new AtomicInteger(1_000);
        private final AtomicInteger running = new AtomicInteger();

        @Override
        public Loop loop(String role, BooleanSupplier ready, BooleanSupplier step) {
            Loop loop = system.loop(role, ready, () -> {
                boolean continues = step.getAsBoolean();
                if (!continues) {
                    running.decrementAndGet();
                }
                return continues;
            });
            return new Loop() {
                @Override
                public void start() {
                    if (left.getAndDecrement() <= 0) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    running.incrementAndGet();
                    loop.start();
                }

                @Override
                public void join() throws InterruptedException {
                    loop.join();
                }
            };
        }

        @Override
        public ExecutorService pool(String role, int threads) {
            return system.pool(role, threads);
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

    @AfterEach
    void close() {
        files.onCreate(path -> {});
        sessions.stop();
        hdfs.close();
    }

    private OpenSegment create(int partition) throws IOException {
        files.mkdirs(new Path("/talos/segments/" + "0".repeat(32) + "/" + partition));
        SegmentName name = new SegmentName(new LogId("0".repeat(32), partition), 0, 1);
        return sessions.create(name, SegmentOptions.DEFAULT, segment -> 0);
    }

    private List<String> owners() {
        return files.files("/talos/journals").stream()
                .filter(name -> name.endsWith("/owner"))
                .toList();
    }

    /** A session that has lost a journal is followed by another, and loses its last segment. */
    private void leaveASession() throws IOException {
        OpenSegment last = create(1);
        files.onCreate(path -> {
            if (path.getName().endsWith(".journal")) {
                throw new IllegalStateException("made to fail");
            }
        });
        last.writer()
                .append(List.of(ByteBuffer.allocate(1)))
                .handle((done, error) -> error)
                .join();
        create(2);
        last.close();
    }

    @Test
    void sessionWhoseEndWasRefusedIsEndedWithTheNextSegment() throws Exception {
        sessions.start();
        refusing = true;
        leaveASession();
        refusing = false;
        assertThat(owners()).hasSize(2);
        int running = threads.running.get();

        create(3).close();

        await().untilAsserted(() -> assertThat(owners()).hasSize(1));
        assertThat(threads.running).hasValue(running / 2);
    }

    @Test
    void sessionThatCanNotBeBegunAsAWholeLeavesNoThreadAndNoFile() {
        threads.left.set(1);

        assertThatThrownBy(sessions::start).isInstanceOf(OutOfMemoryError.class);

        assertThat(threads.running).hasValue(0);
        assertThat(files.files("/talos/journals")).isEmpty();
    }

    @Test
    void sessionWhoseEndWasRefusedIsEndedWithoutAnyFurtherSegment() throws Exception {
        sessions.start();
        refusing = true;
        leaveASession();
        refusing = false;

        sessions.endLeft();

        await().untilAsserted(() -> assertThat(owners()).hasSize(1));
    }
}
