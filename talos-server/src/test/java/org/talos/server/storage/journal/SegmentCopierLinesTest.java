// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;

/** Log lines of segments that cannot be written. */
@Isolated // listens to a logger of all
@Timeout(60)
class SegmentCopierLinesTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(SegmentCopier.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final CountDownLatch tried = new CountDownLatch(1);
    private final List<JournaledSegment> deleted = new CopyOnWriteArrayList<>();

    @BeforeEach
    void listen() {
        lines.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

    /** A server that was held still hears so of its segments, also of those of topics that are deleted by then. */
    @Test
    void segmentThatAnotherServerHasTakenIsALineWithoutATrace() throws Exception {
        copyWhatFailsBy(new JournalFencedException("segment may have another owner", null));

        assertThat(lines.list).isNotEmpty().allSatisfy(line -> {
            assertThat(line.getThrowableProxy()).isNull();
            assertThat(line.getFormattedMessage())
                    .isEqualTo("segment not written, another server may own it segment=" + name());
        });
    }

    @Test
    void segmentThatAnotherServerHasDeletedIsALineAndIsAbandoned() throws Exception {
        copyWhatFailsBy(new SegmentDeletedException("segment has been deleted", new IOException("no such file")));

        assertThat(lines.list).isNotEmpty().allSatisfy(line -> {
            assertThat(line.getThrowableProxy()).isNull();
            assertThat(line.getFormattedMessage())
                    .isEqualTo("segment abandoned, another server deleted it segment=" + name());
        });
        assertThat(deleted).extracting(JournaledSegment::name).contains(name());
    }

    @Test
    void anotherFailureIsShownWhole() throws Exception {
        copyWhatFailsBy(new IOException("made to fail"));

        assertThat(lines.list)
                .isNotEmpty()
                .allSatisfy(line ->
                        assertThat(line.getThrowableProxy().getMessage()).isEqualTo("made to fail"));
    }

    private void copyWhatFailsBy(IOException failure) throws Exception {
        JournaledSegment segment = new JournaledSegment(name(), new FailingFile(failure));
        segment.take(List.of(ByteBuffer.allocate(10)));
        segment.durable(10);
        segment.settled();
        try (SegmentCopier copier = new SegmentCopier(
                1_000,
                0,
                1,
                new SegmentCopier.Segments(() -> List.of(segment), released -> {}, deleted::add),
                System::nanoTime,
                new SystemThreads())) {
            copier.start(List::of);
            assertThat(tried.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static SegmentName name() {
        return new SegmentName(new LogId("7".repeat(32), 0), 100, 1);
    }

    /** Takes nothing. */
    private final class FailingFile extends KeepsNothing {
        private final IOException failure;

        FailingFile(IOException failure) {
            this.failure = failure;
        }

        @Override
        public void write(long position, List<ByteBuffer> bytes) throws IOException {
            tried.countDown();
            throw failure;
        }
    }
}
