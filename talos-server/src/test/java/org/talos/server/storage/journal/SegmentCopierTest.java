// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.talos.server.runtime.SystemThreads;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;

class SegmentCopierTest {
    private static final int PIECE = 1 << 20;

    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
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
            copier.reserve(600); // over half: 375 is where a round ends
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

    private String next() throws InterruptedException {
        String event = events.poll(30, TimeUnit.SECONDS);
        return event == null ? "nothing in 30 s" : event;
    }

    private SegmentCopier copier(long maxUnwrittenBytes) {
        return new SegmentCopier(
                maxUnwrittenBytes,
                0,
                1,
                () -> List.of(small, middle, large),
                segment -> events.add("released " + segment.name().baseOffset()),
                new SystemThreads());
    }

    private JournaledSegment segment(long base) {
        return new JournaledSegment(new SegmentName(new LogId("7".repeat(32), 0), base, 1), new CountedFile(base));
    }

    private static void gather(JournaledSegment segment, int bytes) throws StorageException {
        segment.take(List.of(ByteBuffer.allocate(bytes)));
        segment.durable(bytes);
        segment.settled();
    }

    /** Reports what is written to it, and keeps nothing. */
    private final class CountedFile implements StoredFile {
        private final long base;
        private long size;

        CountedFile(long base) {
            this.base = base;
        }

        @Override
        public void write(long position, List<ByteBuffer> bytes) {
            long length = bytes.stream().mapToLong(ByteBuffer::remaining).sum();
            size += length;
            events.add("copied " + base + ": " + length);
        }

        @Override
        public int read(long position, ByteBuffer target) {
            throw new UnsupportedOperationException("nothing is kept");
        }

        @Override
        public void sync() {
            // Nothing is kept.
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public void truncate(long length) {
            size = length;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
