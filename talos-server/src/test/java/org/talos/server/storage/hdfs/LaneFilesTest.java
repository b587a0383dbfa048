// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ipc.RemoteException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import org.talos.server.config.Durability;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.journal.JournalFormat;
import org.talos.server.storage.journal.StoredFile;
import org.talos.server.testing.MemorySegmentStore.Gate;

@Timeout(60)
class LaneFilesTest {
    private static final Path SESSION = new Path("/session");
    private static final Path SECOND = HdfsPaths.journal(SESSION, 0, 2);
    private static final Path SECOND_IN_ADVANCE = HdfsPaths.beside(SECOND, 0);

    private static final int HEADER = JournalFormat.FILE_HEADER_BYTES;

    private final MemoryHdfs files = new MemoryHdfs();
    private final Hdfs hdfs =
            new Hdfs(files, 1 << 20, Duration.ofSeconds(30), SystemTime.ticker(), (bytes, write, sync) -> {});
    private final LaneFiles lane = new LaneFiles(hdfs, SESSION, 0, 1, Durability.FLUSH);
    private final Gate gate = new Gate();

    @BeforeEach
    void make() {
        files.mkdirs(SESSION);
    }

    @AfterEach
    void close() {
        gate.open();
        lane.close();
        hdfs.close();
    }

    private StoredFile begin(long number) throws IOException {
        return lane.begin(number, JournalFormat.fileHeader(number, number - 1, 100, 7, true));
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void onlySyncedFilesSurviveAPowerFailure(Durability durability) {
        LaneFiles files = new LaneFiles(hdfs, SESSION, 0, 1, durability);

        assertThat(files.survivesPowerFailures()).isEqualTo(durability == Durability.FSYNC);
    }

    private static boolean isSecondInAdvance(Path path) {
        return path.equals(SECOND_IN_ADVANCE);
    }

    /** The NameNode answers the end of a file whose directory has gone by a missing file, which arrives packed. */
    @Test
    void stopWhoseFilesHaveGoneIsNoWarning() throws Exception {
        AtomicInteger closes = new AtomicInteger();
        files.onClose(path -> {
            closes.incrementAndGet();
            throw new RemoteException(FileNotFoundException.class.getName(), "File does not exist: " + path);
        });
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        said.start();
        Logger logger = (Logger) LoggerFactory.getLogger(Hdfs.class);
        logger.addAppender(said);
        try {
            begin(1);
            await().until(() -> files.files("/session").contains(SECOND.toString()));

            lane.close();
            hdfs.close(); // waits for the work in the background
        } finally {
            logger.detachAppender(said);
        }

        assertThat(closes).hasPositiveValue();
        assertThat(said.list).noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN));
    }

    /** The first file failed at once. */
    @Test
    void fileThatIsBeingMadeInAdvanceHoldsUpNobodyWhoNeedsIt() throws Exception {
        AtomicBoolean held = new AtomicBoolean();
        files.onCreated(path -> {
            if (isSecondInAdvance(path) && !held.getAndSet(true)) {
                gate.pass();
            }
        });
        begin(1);
        gate.awaitCaller();

        StoredFile second = begin(2);

        assertThat(second.size()).isEqualTo(HEADER);
        await().until(() -> files.files("/session").size() == 4); // the next is made in advance meanwhile
        gate.open();
        await().until(() -> files.files("/session").size() == 3);
        hdfs.close(); // waits for what is under way: the late answer, and what follows from it
        second.write(HEADER, List.of(ByteBuffer.allocate(4)));
        second.sync();
        assertThat(files.getFileStatus(SECOND).getLen()).isEqualTo(HEADER + 4);
        assertThat(files.files("/session"))
                .as("the three that there are to be")
                .hasSize(3)
                .noneMatch(name -> name.endsWith(".new"));
    }

    /**
     * All that the file was needed for was written, copied and deleted while the NameNode did not answer. Had the late
     * one its name for a moment only, who replays the session then would take it for damage.
     */
    @Test
    void fileThatIsMadeInAdvanceAfterItsTimeHasNeverItsNameAndLeavesNothing() throws Exception {
        AtomicBoolean held = new AtomicBoolean();
        AtomicInteger creates = new AtomicInteger();
        AtomicInteger seconds = new AtomicInteger();
        files.onCreated(path -> {
            if (path.equals(SECOND)) {
                seconds.incrementAndGet();
            }
            creates.incrementAndGet();
        });
        files.onCreate(path -> {
            if (isSecondInAdvance(path) && !held.getAndSet(true)) {
                gate.pass();
            }
        });
        begin(1);
        gate.awaitCaller();
        begin(2).close();
        begin(3);
        lane.end(2, true);

        await().until(() -> files.files("/session").size() == 3); // the last of them made in advance
        gate.open();

        await().until(() -> creates.get() == 5);
        await().untilAsserted(() ->
                assertThat(files.files("/session")).hasSize(3).noneMatch(name -> name.contains(SECOND.getName())));
        assertThat(seconds).as("made when it was needed").hasValue(1);
    }

    @Test
    void fileWhoseMakingInAdvanceWasNotAnsweredIsMadeAgain() throws Exception {
        AtomicBoolean lost = new AtomicBoolean();
        files.onCreated(path -> {
            if (isSecondInAdvance(path) && !lost.getAndSet(true)) {
                throw new IllegalStateException("the answer is lost");
            }
        });
        begin(1).abandon();
        await().untilTrue(lost);

        assertThat(begin(2).size()).isEqualTo(HEADER);
        await().untilAsserted(() ->
                assertThat(files.files("/session")).noneMatch(name -> name.equals(SECOND_IN_ADVANCE.toString())));
    }

    @Test
    void fileWhoseRenamingWasNotAnsweredIsMadeAgain() throws Exception {
        AtomicBoolean lost = new AtomicBoolean();
        files.onRenamed(path -> {
            if (isSecondInAdvance(path) && !lost.getAndSet(true)) {
                throw new IllegalStateException("the answer is lost");
            }
        });
        begin(1).abandon();
        await().untilTrue(lost);

        StoredFile second = begin(2);

        second.write(HEADER, List.of(ByteBuffer.allocate(4)));
        second.sync();
        assertThat(files.getFileStatus(SECOND).getLen()).isEqualTo(HEADER + 4);
        await().untilAsserted(() ->
                assertThat(files.files("/session")).noneMatch(name -> name.equals(SECOND_IN_ADVANCE.toString())));
    }

    @Test
    void whoClosesWaitsForNoNameNode() throws Exception {
        files.onRename(path -> gate.pass());
        begin(1).close();
        gate.awaitCaller();

        lane.close();
        gate.open();

        await().untilAsserted(() -> assertThat(files.files("/session")).hasSize(1));
    }

    @Test
    void fileThatIsBeingMadeInAdvanceIsDeletedOnceTheLaneIsClosed() throws Exception {
        files.onCreated(path -> {
            if (isSecondInAdvance(path)) {
                gate.pass();
            }
        });
        begin(1).close();
        gate.awaitCaller();

        lane.close();
        gate.open();

        await().untilAsserted(() -> assertThat(files.files("/session")).hasSize(1));
    }
}
