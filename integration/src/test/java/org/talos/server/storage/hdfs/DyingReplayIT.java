// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournalFormat.Item;
import org.talos.server.storage.journal.JournalReplay;
import org.talos.server.storage.journal.JournaledSegmentStore;

/**
 * A server that dies while it replays a session: the next one finds what it left, at any step, and finishes. What
 * stands in the segments' own files is taken away, so that the journals alone have it.
 */
@Tag("full") // faults
@Tag("storage")
@WithDevCluster(Parts.HDFS)
@Timeout(240)
class DyingReplayIT {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";
    private static final int MANY = 70; // more than a replay keeps open at once
    private static final int ROUNDS = 3;
    private static final int RECORD_CHARS = 30;
    private static final int FIRST_FLUSHED_LANE = 1; // behind the one lane of what is synced
    private static final long DEAD_REPLAYER = 77;

    private final HdfsConfig config;
    private final Hdfs hdfs;
    private final HdfsPaths paths;
    private final List<SegmentName> names = new ArrayList<>();
    private JournaledSegmentStore owner;
    private JournaledSegmentStore next;

    DyingReplayIT(DevCluster cluster) throws IOException {
        Path root = new Path("/dying-" + UUID.randomUUID());
        config = TestConfig.of(HdfsConfig.class)
                .with("configDirectory", cluster.clientConfig().toString())
                .with("root", root.toString())
                .with("journals", 1)
                .with("replication", 3)
                .with("blockBytes", 1 << 20)
                .with("recoveriesAtOnce", 8)
                .create();
        hdfs = Hdfs.connect(
                root,
                ClientConfiguration.hdfs(config),
                1 << 20,
                Duration.ofSeconds(30),
                SystemTime.ticker(),
                (bytes, write, sync) -> {});
        paths = new HdfsPaths(hdfs.qualify(root));
    }

    @BeforeEach
    void open() throws Exception {
        owner = HdfsStores.open(config, Durability.FLUSH);
        next = HdfsStores.open(config, Durability.FLUSH);
    }

    @AfterEach
    void close() {
        next.close();
        owner.close();
        hdfs.close();
    }

    private static String record(int segment, int round) {
        return String.format(Locale.ROOT, "%-" + RECORD_CHARS + "s", segment + " in round " + round);
    }

    private static String all(int segment) {
        StringBuilder text = new StringBuilder();
        for (int round = 0; round < ROUNDS; round++) {
            text.append(record(segment, round));
        }
        return text.toString();
    }

    /** The owner puts to so many segments, one after the other, round after round. Returns its session. */
    private long write(int segments) throws Exception {
        List<SegmentWriter> writers = new ArrayList<>();
        for (int i = 0; i < segments; i++) {
            names.add(new SegmentName(new LogId(TOPIC, i), 0, 1));
            writers.add(owner.create(names.get(i)));
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < segments; i++) {
                byte[] bytes = record(i, round).getBytes(StandardCharsets.UTF_8);
                writers.get(i).append(List.of(ByteBuffer.wrap(bytes))).join();
            }
        }
        return PartHeader.decode(hdfs.head(paths.first(names.get(0)), PartHeader.BYTES), "first")
                .orElseThrow()
                .session();
    }

    /** Does the first step of {@link SessionReplays}. */
    private Path fence(long session) throws Exception {
        Path fenced = paths.fenced(session);
        hdfs.rename(paths.session(session), fenced);
        List<Hdfs.Work> work = new ArrayList<>();
        for (FileStatus file : hdfs.list(fenced)) {
            work.add(() -> hdfs.fence(file.getPath()));
        }
        for (SegmentName name : names) {
            work.add(() -> {
                hdfs.fence(paths.first(name));
                hdfs.truncate(paths.first(name), PartHeader.BYTES);
            });
        }
        hdfs.all(work, () -> {});
        return fenced;
    }

    /** Does the next step, until it dies behind this number of records. Its open files stay as they were. */
    private RecoveredParts replayUntil(Path fenced, int records) {
        RecoveredParts parts = new RecoveredParts(hdfs, paths, 3, DEAD_REPLAYER, () -> {});
        assertThatThrownBy(() -> new JournalReplay(new Files(fenced), new Dying(parts, records)).run())
                .hasMessage("died");
        return parts;
    }

    private static final class Dying implements JournalReplay.Target {
        private final RecoveredParts parts;
        private int left;

        Dying(RecoveredParts parts, int records) {
            this.parts = parts;
            left = records;
        }

        @Override
        public void apply(Item item) throws IOException, StorageException {
            if (left-- == 0) {
                throw new IOException("died");
            }
            parts.apply(item);
        }
    }

    private final class Files implements JournalReplay.Source {
        private final Path directory;

        Files(Path directory) {
            this.directory = directory;
        }

        @Override
        public List<Long> numbers() throws IOException {
            return hdfs.list(directory).stream()
                    .flatMapToLong(file -> HdfsPaths.number(file.getPath()).stream())
                    .sorted()
                    .boxed()
                    .toList();
        }

        @Override
        public ReadOnlyFile open(long number) throws IOException {
            Path path = HdfsPaths.journal(directory, FIRST_FLUSHED_LANE, number);
            return new ReadOnlyFile(hdfs.open(path), hdfs.length(path));
        }

        @Override
        public String name(long number) {
            return "journal " + number;
        }
    }

    private void assertWhole(int segment) throws StorageException {
        SegmentName name = names.get(segment);
        assertThat(next.recover(name)).as("length of segment %s", segment).isEqualTo(ROUNDS * RECORD_CHARS);
        ByteBuffer target = ByteBuffer.allocate(1 << 10);
        next.read(name, 0, target);
        assertThat(StandardCharsets.UTF_8.decode(target.flip()).toString()).isEqualTo(all(segment));
    }

    @Test
    void sessionThatWasOnlyRenamedIsReplayed() throws Exception {
        long session = write(3);
        hdfs.rename(paths.session(session), paths.fenced(session));

        for (int i = 0; i < 3; i++) {
            assertWhole(i);
        }
        assertThat(hdfs.exists(paths.fenced(session))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"3, 0", "3, 7", MANY + ", 143"}) // the last one when some files have their names already
    void replayThatDiedBehindAnyRecordIsDoneAgain(int segments, int records) throws Exception {
        long session = write(segments);
        Path fenced = fence(session);
        replayUntil(fenced, records);

        for (int i = 0; i < segments; i++) {
            assertWhole(i);
        }
        assertThat(hdfs.exists(fenced)).isFalse();
    }

    @Test
    void replayThatDiedBeforeItDeletedTheSessionIsDoneAgain() throws Exception {
        long session = write(3);
        Path fenced = fence(session);
        RecoveredParts parts = replayUntil(fenced, 5);
        parts.finish(); // some have more than others

        for (int i = 0; i < 3; i++) {
            assertWhole(i);
        }
        assertThat(hdfs.exists(fenced)).isFalse();
    }

    /** Fewer segments are wanted the second time, so their pieces end elsewhere. */
    @Test
    void piecesOfAReplayThatDiedDoNotStandInForLongerOnes() throws Exception {
        long session = write(MANY);
        Path fenced = fence(session);
        replayUntil(fenced, MANY);
        for (int i = 10; i < MANY; i++) {
            hdfs.delete(paths.log(names.get(i).log()));
        }

        for (int i = 0; i < 10; i++) {
            assertWhole(i);
        }
    }
}
