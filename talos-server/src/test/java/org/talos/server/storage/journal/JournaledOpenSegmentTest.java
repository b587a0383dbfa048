// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;

/** Tests the length of a segment once it is finished, whoever else ends it meanwhile. */
@Timeout(30)
class JournaledOpenSegmentTest {
    private static final SegmentName NAME = new SegmentName(new LogId("7".repeat(32), 0), 0, 1);

    private final SystemThreads threads = new SystemThreads();
    private final JournaledSegment segment = new JournaledSegment(NAME, new KeepsNothing());
    private final SegmentCopier copier = new SegmentCopier(
            1_000, 0, 1, new SegmentCopier.Segments(List::of, each -> {}, each -> {}), () -> 0, threads);
    private final Journal journal = new Journal(
            new NoFiles(),
            1,
            1_000,
            () -> 0,
            (bytes, written, synced) -> {},
            new Journal.Callbacks(() -> {}, bytes -> {}),
            threads);
    private final JournaledOpenSegment open = new JournaledOpenSegment(
            segment,
            journal,
            copier,
            each -> {
                throw new AssertionError("nobody seals it by its writer here");
            },
            new Ending(),
            false);
    private boolean lost;

    @BeforeEach
    void start() throws Exception {
        copier.start(List::of);
        journal.start();
        assertThat(copier.tryReserve(segment, 10)).isTrue();
        segment.take(List.of(ByteBuffer.allocate(10)));
        segment.durable(10);
        segment.settled();
    }

    @AfterEach
    void close() {
        copier.close();
        journal.close();
    }

    @Test
    void finishedSegmentHasAllDurableBytes() throws Exception {
        assertThat(open.finish()).isEqualTo(10);
    }

    /** Its bytes were in memory only: who took it for whole would have it sealed without them. */
    @Test
    void segmentThatIsDroppedWhileItIsFinishedIsNotWhole() {
        lost = true;

        assertThatThrownBy(open::finish).isInstanceOf(IOException.class).hasMessageContaining("abandoned");
    }

    /** Another thread finds it lost before this one has written it out. */
    private final class Ending implements JournaledOpenSegment.Ending {
        @Override
        public boolean isLost() {
            return false; // so it was when it was asked
        }

        @Override
        public void finish(JournaledSegment finished) throws IOException, StorageException {
            if (lost) {
                open.drop();
            }
            copier.copy(finished);
            finished.close();
        }

        @Override
        public void close(JournaledSegment finished) {
            // nothing is held
        }
    }

    private static final class NoFiles implements JournalFiles {
        @Override
        public boolean synced() {
            return false;
        }

        @Override
        public boolean survivesPowerFailures() {
            return false;
        }

        @Override
        public StoredFile begin(long number, ByteBuffer header) {
            return new KeepsNothing();
        }

        @Override
        public void end(long number, boolean sound) {
            // there are none
        }
    }
}
