// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;

/** The header of a journal file. */
@Timeout(30)
class JournalHeaderTest {
    private static final SegmentName SEGMENT = new SegmentName(new LogId("0123456789abcdef0123456789abcdef", 0), 0, 1);

    private final CompletableFuture<ByteBuffer> header = new CompletableFuture<>();

    /** A file that is only in the memory of machines may be shorter after a power failure than the next one says. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void headerSaysWhetherTheFileSurvivesAPowerFailure(boolean survives) throws Exception {
        Journal journal = new Journal(
                new Files(survives),
                1,
                1 << 20,
                SystemTime.ticker(),
                (bytes, write, sync) -> {},
                new Journal.Callbacks(() -> {}, bytes -> {}),
                new SystemThreads());
        journal.start();
        try {
            var unused = journal.append(
                    new JournaledSegment(SEGMENT, new KeepsNothing()), List.of(ByteBuffer.allocate(10)), 10);

            assertThat(JournalFormat.readFileHeader(header.get(20, TimeUnit.SECONDS)))
                    .hasValueSatisfying(read -> assertThat(read.synced()).isEqualTo(survives));
        } finally {
            journal.close();
        }
    }

    /** Each batch is synced before the next. Thread-safe. */
    private final class Files implements JournalFiles {
        private final boolean survives;

        Files(boolean survives) {
            this.survives = survives;
        }

        @Override
        public boolean synced() {
            return true;
        }

        @Override
        public boolean survivesPowerFailures() {
            return survives;
        }

        @Override
        public StoredFile begin(long number, ByteBuffer bytes) {
            header.complete(bytes.duplicate());
            return new KeepsNothing();
        }

        @Override
        public void end(long number, boolean sound) {
            // nothing is kept
        }
    }
}
