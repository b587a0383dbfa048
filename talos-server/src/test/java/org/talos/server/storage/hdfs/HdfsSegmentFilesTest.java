// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.LogConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.log.MemoryCatalog;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.SegmentCatalog;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.testing.MemorySegmentStore.Gate;
import org.talos.server.testing.SmallLogs;

/** Several servers on one directory: what they ask the NameNode, and what one that died leaves. */
@Timeout(60)
class HdfsSegmentFilesTest {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";
    private static final HdfsConfig CONFIG = TestConfig.of(HdfsConfig.class)
            .with("root", "/talos")
            .with("journals", 1)
            .with("replication", 1)
            .with("blockBytes", 1 << 20)
            .with("recoveriesAtOnce", 8)
            .create();
    static final LogConfig LOG_CONFIG = TestConfig.of(LogConfig.class)
            .with("durability", Durability.FLUSH)
            .with("segmentBytes", 64 << 10)
            .with("indexIntervalBytes", 4096)
            .with("tailCacheBytes", 1 << 20)
            .with("dedupeWindow", 100)
            .with("dedupeAge", Duration.ofMinutes(1))
            .with("dedupeBytes", 1 << 20)
            .with("journalFileBytes", 64 << 10)
            .with("maxUnwrittenBytes", 8 << 20)
            .create();
    private static final HdfsListener NOBODY = (bytes, write, sync) -> {};

    private final MemoryHdfs files = new MemoryHdfs();
    private final AtomicLong skippedNanos = new AtomicLong();
    private final List<JournaledSegmentStore> stores = new ArrayList<>();

    @BeforeEach
    void makeRoot() {
        files.mkdirs(new Path("/talos"));
    }

    @AfterEach
    void close() {
        files.onCreate(path -> {});
        stores.forEach(JournaledSegmentStore::close);
    }

    private long nanos() {
        return SystemTime.ticker().nanos() + skippedNanos.get();
    }

    private Hdfs hdfs() {
        return new Hdfs(files, 1 << 20, Duration.ofSeconds(30), this::nanos, NOBODY);
    }

    private JournaledSegmentStore open() throws Exception {
        JournaledSegmentStore store =
                HdfsSegmentStore.open(hdfs(), CONFIG, LOG_CONFIG, this::nanos, NOBODY, new SystemThreads());
        stores.add(store);
        return store;
    }

    private static SegmentName segment(int partition, long baseOffset) {
        return new SegmentName(new LogId(TOPIC, partition), baseOffset, 1);
    }

    private static List<ByteBuffer> bytes(String text) {
        return List.of(ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    private static void sealed(JournaledSegmentStore store, SegmentName name) throws Exception {
        SegmentWriter writer = store.create(name);
        writer.append(bytes("text")).join();
        assertThat(writer.seal()).isEqualTo(4);
        store.saveIndex(name, new byte[] {1});
    }

    private static String text(JournaledSegmentStore store, SegmentName name) throws StorageException {
        ByteBuffer target = ByteBuffer.allocate(100);
        store.read(name, 0, target);
        return UTF_8.decode(target.flip()).toString();
    }

    private List<String> named(String part) {
        return files.files("/talos").stream()
                .filter(name -> name.contains(part))
                .toList();
    }

    @Test
    void directoryThatIsNotThereIsNotMadeByAServer() {
        files.delete(new Path("/talos"), true);

        assertThatThrownBy(this::open)
                .hasMessageContaining("bin/talos init")
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
        assertThat(files.exists(new Path("/talos"))).isFalse();
    }

    @Test
    void missingSegmentIsRefusedAndNotMade() throws Exception {
        JournaledSegmentStore store = open();

        assertThatThrownBy(() -> store.recover(segment(0, 0)))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT));
        assertThat(named("/segments/")).isEmpty();
    }

    /** Calls of the NameNode while a log with so many sealed segments, and one that is not sealed, is opened. */
    private int callsToOpen(int partition, int segments) throws Exception {
        JournaledSegmentStore owner = open();
        MemoryCatalog row = new MemoryCatalog();
        SegmentCatalog catalog = row.takeOver();
        for (int i = 0; i < segments; i++) {
            SegmentName name = segment(partition, i);
            catalog.add(name);
            sealed(owner, name);
            catalog.seal(SegmentCatalog.Known.sealed(
                    name, i + 1L, 4, Duration.ofHours(i).toMillis()));
        }
        JournaledSegmentStore next = open();
        PartitionLog.Parts parts = SmallLogs.onCallersThread(() -> 0);
        int before = files.sumOfCalls();

        PartitionLog log = PartitionLog.open(
                new LogId(TOPIC, partition),
                next,
                row.takeOver(),
                () -> SegmentOptions.DEFAULT,
                LOG_CONFIG,
                parts,
                () -> {});

        int calls = files.sumOfCalls() - before;
        assertThat(log.durableEnd()).isEqualTo(segments);
        assertThat(text(next, segment(partition, 0))).isEqualTo("text");
        assertThat(files.sumOfCalls() - before - calls)
                .as("only its file is opened")
                .isEqualTo(1);
        log.close();
        return calls;
    }

    @Test
    void openingALogAsksTheNameNodeAsOftenForManySegmentsAsForFew() throws Exception {
        int few = callsToOpen(0, 3);
        int many = callsToOpen(1, 200);

        assertThat(many).isEqualTo(few).isLessThanOrEqualTo(5);
    }

    /** A log of a thousand segments takes long to list. */
    @Test
    void segmentOfADeadServerIsTakenWithOneLookAtItsLog() throws Exception {
        JournaledSegmentStore owner = open();
        for (int partition = 0; partition < 2; partition++) {
            owner.create(segment(partition, 0)).append(bytes("kept")).join();
        }
        JournaledSegmentStore next = open();
        assertThat(next.recover(segment(1, 0))).as("it replays the session").isEqualTo(4);
        int before = files.calls().getOrDefault("list", 0);

        assertThat(next.recover(segment(0, 0))).isEqualTo(4);

        assertThat(files.calls().getOrDefault("list", 0) - before).isEqualTo(1);
        assertThat(text(next, segment(0, 0))).isEqualTo("kept");
    }

    /** A server that gets a log back still has in memory what it wrote of it before another one had it. */
    @Test
    void segmentThatAnotherServerHasSealedIsReadFromItsFilesByItsWriterToo() throws Exception {
        JournaledSegmentStore writer = open();
        JournaledSegmentStore other = open();
        MemoryCatalog row = new MemoryCatalog();
        SegmentName name = segment(0, 0);
        SegmentCatalog first = row.takeOver();
        first.add(name);
        writer.create(name).append(bytes("some")).join();
        assertThat(other.recover(name)).isEqualTo(4);
        row.takeOver().seal(SegmentCatalog.Known.sealed(name, 1, 4, 1));
        assertThat(writer.unwrittenBytes()).isEqualTo(4);

        PartitionLog log = PartitionLog.open(
                name.log(),
                writer,
                row.takeOver(),
                () -> SegmentOptions.DEFAULT,
                LOG_CONFIG,
                SmallLogs.onCallersThread(() -> 0),
                () -> {});

        assertThat(writer.unwrittenBytes()).as("it reads through its files").isZero();
        assertThat(text(writer, name)).isEqualTo("some");
        log.close();
    }

    /** The topic is deleted by one server, while another still has in memory what it wrote. */
    @Test
    void segmentsThatAnotherServerHasDeletedAreAbandonedAndKeepNoJournal() throws Exception {
        JournaledSegmentStore writer = open();
        JournaledSegmentStore other = open();
        SegmentWriter released = writer.create(segment(0, 0));
        SegmentWriter written = writer.create(segment(0, 1));
        released.append(bytes("some")).join();
        written.append(bytes("more")).join();

        other.deleteLog(segment(0, 0).log());
        released.close();

        await().until(() -> writer.unwrittenBytes() == 0);
        assertThat(writer.failure()).isEmpty();
        assertThatThrownBy(() -> written.append(bytes("late")).join()).hasCauseInstanceOf(StorageException.class);
        writer.close();
        other.close();
        assertThat(named("/journals/")).as("of servers that have ended whole").isEmpty();
    }

    /** It has all bytes, and only its end is to be written. */
    @Test
    void segmentThatAnotherServerHasDeletedCanBeReleased() throws Exception {
        JournaledSegmentStore writer = open();
        JournaledSegmentStore other = open();
        SegmentWriter released = writer.create(segment(0, 0));
        released.append(bytes("some")).join();
        await().until(() -> writer.unwrittenBytes() == 0);

        other.deleteLog(segment(0, 0).log());
        released.close();
        writer.close();
        other.close();

        assertThat(named("/journals/")).isEmpty();
    }

    @Test
    void sessionIsReplayedByOneOfTheServersThatNeedIt() throws Exception {
        JournaledSegmentStore owner = open();
        for (int i = 0; i < 3; i++) {
            owner.create(segment(i, 0)).append(bytes("kept " + i)).join();
        }
        JournaledSegmentStore first = open();
        JournaledSegmentStore second = open();
        Gate replaying = new Gate();
        AtomicBoolean held = new AtomicBoolean();
        AtomicLong begun = new AtomicLong();
        files.onCreate(path -> {
            if (path.getName().contains(".recovered.")) {
                begun.incrementAndGet();
                if (!held.getAndSet(true)) {
                    replaying.pass();
                }
            }
        });
        CompletableFuture<Long> one = recovery(first, segment(0, 0));
        replaying.awaitCaller();
        CompletableFuture<Long> two = recovery(second, segment(1, 0));
        int asked = files.calls().getOrDefault("getFileStatus", 0);
        await().until(() -> files.calls().getOrDefault("getFileStatus", 0) > asked + 2); // it waits
        assertThat(two).isNotDone();

        replaying.open();

        assertThat(one.join()).isEqualTo(6);
        assertThat(two.join()).isEqualTo(6);
        assertThat(text(second, segment(1, 0))).isEqualTo("kept 1");
        assertThat(begun).as("files begun for three segments").hasValue(3);
    }

    @Test
    void takeoverThatWaitsForALeaseHoldsUpNoOtherSegment() throws Exception {
        JournaledSegmentStore owner = open();
        owner.create(segment(0, 0)).append(bytes("kept")).join();
        JournaledSegmentStore next = open();
        Gate lease = new Gate();
        files.onRecoverLease(path -> lease.pass());
        CompletableFuture<Long> taken = recovery(next, segment(0, 0));
        lease.awaitCaller();

        CompletableFuture<Void> others = CompletableFuture.runAsync(() -> {
            for (int i = 1; i < 500; i++) {
                try {
                    next.create(segment(i, 0)).close();
                } catch (StorageException e) {
                    throw new IllegalStateException(e);
                }
            }
        });

        others.join();
        assertThat(taken).isNotDone();
        lease.open();
        assertThat(taken.join()).isEqualTo(4);
    }

    private static CompletableFuture<Long> recovery(JournaledSegmentStore store, SegmentName name) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return store.recover(name);
            } catch (StorageException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void sessionWhoseReplayerStandsStillIsReplayedByAnother() throws Exception {
        JournaledSegmentStore owner = open();
        owner.create(segment(0, 0)).append(bytes("kept 0")).join();
        owner.create(segment(1, 0)).append(bytes("kept 1")).join();
        JournaledSegmentStore first = open();
        JournaledSegmentStore second = open();
        Gate replaying = new Gate();
        AtomicBoolean held = new AtomicBoolean();
        files.onCreate(path -> {
            if (path.getName().contains(".recovered.") && !held.getAndSet(true)) {
                replaying.pass();
            }
        });
        CompletableFuture<Long> one = recovery(first, segment(0, 0));
        replaying.awaitCaller();
        CompletableFuture<Long> two = recovery(second, segment(1, 0));
        int asked = files.calls().getOrDefault("getFileStatus", 0);
        await().until(() -> files.calls().getOrDefault("getFileStatus", 0) > asked + 2);
        assertThat(two).isNotDone();

        skippedNanos.addAndGet(Duration.ofSeconds(20).toNanos());

        assertThat(two.join()).isEqualTo(6);
        assertThat(text(second, segment(1, 0))).isEqualTo("kept 1");
        replaying.open();
        assertThat(one.handle((length, failure) -> failure == null ? length : 6L)
                        .join())
                .isEqualTo(6);
        assertThat(first.recover(segment(0, 0))).isEqualTo(6);
    }

    /** A reader that listed the files before the takeover, and continues with that only behind it. */
    private CompletableFuture<String> readerBehindItsListing(JournaledSegmentStore store, SegmentName name, Gate gate) {
        AtomicBoolean held = new AtomicBoolean();
        files.onListed(directory -> {
            if (!held.getAndSet(true)) {
                gate.pass();
            }
        });
        CompletableFuture<String> reader = CompletableFuture.supplyAsync(() -> {
            try {
                return text(store, name);
            } catch (StorageException e) {
                throw new IllegalStateException(e);
            }
        });
        gate.awaitCaller();
        return reader;
    }

    @Test
    void listingFromBeforeATakeoverIsNotKept() throws Exception {
        SegmentName name = segment(0, 0);
        open().create(name).append(bytes("kept")).join();
        JournaledSegmentStore next = open();
        Gate gate = new Gate();
        CompletableFuture<String> reader = readerBehindItsListing(next, name, gate);

        assertThat(next.recover(name)).isEqualTo(4);
        gate.open();

        assertThat(reader.join()).as("of what it listed").isEmpty();
        assertThat(text(next, name)).isEqualTo("kept");
    }

    @Test
    void listingFromBeforeACutIsNotKept() throws Exception {
        SegmentName name = segment(0, 0);
        open().create(name).append(bytes("kept")).join();
        JournaledSegmentStore next = open();
        Gate gate = new Gate();
        CompletableFuture<String> reader = readerBehindItsListing(next, name, gate);

        assertThat(next.recover(name)).isEqualTo(4);
        next.truncate(name, 2);
        gate.open();

        reader.join();
        assertThat(text(next, name)).isEqualTo("ke");
    }

    private DeadSessions sweepOf(long own) {
        Hdfs hdfs = new Hdfs(files, 1 << 20, Duration.ofSeconds(30), this::nanos, NOBODY);
        HdfsPaths paths = new HdfsPaths(new Path("/talos"));
        SessionReplays replays = new SessionReplays(hdfs, paths, 1, 99, this::nanos, NOBODY);
        return new DeadSessions(hdfs, paths, replays, session -> session == own, this::nanos);
    }

    @Test
    void sessionOfADeadServerWhoseSegmentsAreAllWholeIsRemoved() throws Exception {
        JournaledSegmentStore dead = open();
        sealed(dead, segment(0, 0));
        String owner = named("/owner").get(0);
        JournaledSegmentStore alive = open();
        sealed(alive, segment(1, 0));
        assertThat(named("/owner")).hasSize(2);

        sweepOf(0).sweep();
        assertThat(named("/owner")).as("nothing says that one is dead").hasSize(2);
        files.expireLease(owner);
        sweepOf(0).sweep();

        assertThat(named("/owner")).hasSize(1).doesNotContain(owner);
        assertThat(named("/journals/" + owner.split("/")[3])).isEmpty();
        assertThat(text(alive, segment(0, 0))).isEqualTo("text");
        alive.create(segment(1, 10)).append(bytes("goes on")).join();
    }

    @Test
    void sessionWhoseReplayEndedHalfWayIsRemoved() throws Exception {
        JournaledSegmentStore dead = open();
        dead.create(segment(0, 0)).append(bytes("kept")).join();
        String directory = "/talos/journals/" + named("/owner").get(0).split("/")[3];
        files.rename(new Path(directory), new Path(directory + ".fenced"), org.apache.hadoop.fs.Options.Rename.NONE);

        sweepOf(0).sweep();

        assertThat(named(".fenced")).isEmpty();
        assertThat(open().recover(segment(0, 0))).isEqualTo(4);
    }

    /** Earlier versions wrote such segments. Their next owner lists their files once, so there must be only one. */
    @Test
    void segmentThatStandsInNoJournalKeepsOneFileAndIsRecovered() throws Exception {
        JournaledSegmentStore next = open();
        SegmentName name = segment(0, 0);
        try (Hdfs hdfs = hdfs()) {
            HdfsPaths paths = new HdfsPaths(new Path("/talos"));
            hdfs.makeDirectory(paths.log(name.log()));
            SegmentFile file = new SegmentFile.Maker(hdfs, new ReadStreams(hdfs), paths, 1, Durability.FLUSH)
                    .make(name, 0, SegmentOptions.DEFAULT);
            file.write(0, bytes("kept"));
            files.loseDataNode();

            assertThatThrownBy(() -> file.write(4, bytes("late")))
                    .hasMessageContaining("no longer on all its DataNodes");

            assertThat(next.recover(name)).isEqualTo(4);
            assertThat(text(next, name)).isEqualTo("kept");
        }
    }
}
