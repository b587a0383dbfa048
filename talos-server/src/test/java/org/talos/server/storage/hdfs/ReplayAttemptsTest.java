// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.util.DefaultLocale;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.LogConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Replays of a session that fail half-way, and what the next attempt of the same process makes of that. */
@Timeout(60)
class ReplayAttemptsTest {
    private static final SegmentName NAME = new SegmentName(new LogId("0123456789abcdef0123456789abcdef", 0), 0, 1);
    private static final HdfsPaths PATHS = new HdfsPaths(new Path("/talos"));
    private static final HdfsConfig CONFIG = TestConfig.of(HdfsConfig.class)
            .with("root", "/talos")
            .with("journals", 1)
            .with("replication", 1)
            .with("blockBytes", 1 << 20)
            .with("recoveriesAtOnce", 8)
            .create();
    private static final LogConfig LOG_CONFIG = TestConfig.of(LogConfig.class)
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
    private final AtomicLong nanos = new AtomicLong();
    private final List<JournaledSegmentStore> stores = new ArrayList<>();
    private JournaledSegmentStore next;

    /** A server has stored "X1" and "X2" and is silent; another, whose time flies, is to take over. */
    @BeforeEach
    void store() throws Exception {
        files.mkdirs(new Path("/talos"));
        SegmentWriter writer = open(SystemTime.ticker()).create(NAME);
        writer.append(bytes("X1")).join();
        writer.append(bytes("X2")).join();
        files.expireLease(PATHS.first(NAME).toString()); // so that they stand in its journals alone
        next = open(() -> nanos.addAndGet(Duration.ofSeconds(2).toNanos()));
    }

    @AfterEach
    void close() {
        stores.forEach(JournaledSegmentStore::close);
    }

    private JournaledSegmentStore open(Ticker ticker) throws Exception {
        Hdfs hdfs = new Hdfs(files, 1 << 20, Duration.ofSeconds(30), ticker, NOBODY);
        JournaledSegmentStore store =
                HdfsSegmentStore.open(hdfs, CONFIG, LOG_CONFIG, ticker, NOBODY, new SystemThreads());
        stores.add(store);
        return store;
    }

    private static List<ByteBuffer> bytes(String text) {
        return List.of(ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    private List<String> named(String part) {
        return files.files("/talos").stream()
                .filter(name -> name.contains(part))
                .toList();
    }

    private static boolean isUnfinished(Path path) {
        return path.getName().contains(".recovered.");
    }

    /** A DataNode whose disk is full closes no file that has not one whole checksum. */
    @Test
    void fileThatWasBeingMadeInAdvanceIsLeftAlone() throws Exception {
        Path journal = new Path(named(".journal").get(0));
        Path inAdvance = HdfsPaths.beside(journal, 0);
        var open = files.createNonRecursive(inAdvance, false, 1, (short) 1, 1 << 20, () -> {});
        List<String> recovered = new CopyOnWriteArrayList<>();
        files.onRecoverLease(path -> recovered.add(path.getName()));

        assertThat(recoverAtLast()).isEqualTo(4);

        assertThat(recovered).contains(journal.getName()).doesNotContain(inAdvance.getName());
        assertThat(open.getPos()).isZero(); // and never closed
    }

    private void failToRecover() {
        assertThatThrownBy(() -> next.recover(NAME))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
    }

    private long recoverAtLast() throws StorageException {
        for (int attempt = 0; attempt < 3; attempt++) {
            try {
                return next.recover(NAME);
            } catch (StorageException e) {
                assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE);
            }
        }
        return next.recover(NAME);
    }

    @Test
    void fileThatAFailedAttemptIsAboutToNameIsNotTheHalfOneOfTheNext() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        CountDownLatch named = new CountDownLatch(1);
        AtomicInteger touches = new AtomicInteger();
        files.onRename(path -> {
            if (isUnfinished(path) && asked.getCount() > 0) {
                asked.countDown();
                pass(answered); // the NameNode is being restarted
            }
        });
        files.onRenamed(path -> {
            if (isUnfinished(path)) {
                named.countDown();
            }
        });
        files.onSetTimes(path -> {
            int touch = asked.getCount() > 0 ? 0 : touches.incrementAndGet();
            if (touch == 3) { // a second attempt, if there is one beside the first, has written X1
                answered.countDown();
                pass(named);
            }
            if (touch == 1 || touch == 3) {
                throw new IOException("failed on purpose");
            }
        });

        assertThat(recoverAtLast()).isEqualTo(4);

        assertThat(touches.get()).isGreaterThanOrEqualTo(3);
        ByteBuffer target = ByteBuffer.allocate(10);
        next.read(NAME, 0, target);
        assertThat(UTF_8.decode(target.flip()).toString()).isEqualTo("X1X2");
    }

    private static void pass(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void eachAttemptHasFilesOfItsOwn() throws Exception {
        Set<Path> made = ConcurrentHashMap.newKeySet();
        files.onCreate(path -> {
            if (isUnfinished(path)) {
                made.add(path);
            }
        });
        failNextNaming();

        failToRecover();

        assertThat(next.recover(NAME)).isEqualTo(4);
        assertThat(made).hasSize(2);
    }

    private void failNextNaming() {
        AtomicInteger namings = new AtomicInteger();
        files.onRename(path -> {
            if (isUnfinished(path) && namings.incrementAndGet() == 1) {
                throw new IOException("failed on purpose");
            }
        });
    }

    @Test
    void attemptThatFailsLeavesNoFile() {
        failNextNaming();

        failToRecover();

        // The server before may have begun a journal that it did not need yet.
        await().untilAsserted(() -> assertThat(named(".new")).noneMatch(name -> name.contains(".recovered.")));
    }

    /** As an earlier version may have left it: the journals are all that has the rest. */
    @Test
    void journalsAreKeptIfWhatWasMadeOfThemIsNotWhole() throws Exception {
        try (FSDataOutputStream half =
                files.createNonRecursive(PATHS.recovered(NAME, 0, 4), false, 1, (short) 1, 1 << 20, () -> {})) {
            half.write(new PartHeader(0, 0).encode().array());
            half.write("X1".getBytes(UTF_8));
        }

        failToRecover();

        assertThat(named(".journal")).isNotEmpty();
        assertThatThrownBy(() -> next.recover(NAME)).hasMessageContaining("has 34 bytes (expected: 36)");
    }

    /** As a server named them that wrote numbers in its locale, which was Egypt's. */
    private void nameInArabic() throws IOException {
        for (String file : files.files("/talos")) {
            Path path = new Path(file);
            if (path.getName().matches("[0-9].*(journal|log)")) {
                files.rename(path, new Path(path.getParent(), arabic(path.getName())), Options.Rename.NONE);
            }
        }
    }

    private static String arabic(String name) {
        return name.chars()
                .mapToObj(each -> Character.toString(Character.isDigit(each) ? each - '0' + '٠' : each))
                .collect(Collectors.joining());
    }

    @Test
    void journalsAndSegmentsThatWereNamedInArabicDigitsAreRead() throws Exception {
        nameInArabic();

        assertThat(next.lengths(NAME.log())).containsOnlyKeys(NAME);
        assertThat(recoverAtLast()).isEqualTo(4);

        ByteBuffer target = ByteBuffer.allocate(10);
        next.read(NAME, 0, target);
        assertThat(UTF_8.decode(target.flip()).toString()).isEqualTo("X1X2");
        assertThat(files.files("/talos")).allMatch(name -> name.matches("[-A-Za-z0-9./]+"));
    }

    @Test
    void sessionWithANameThatNoServerGivesIsKept() throws Exception {
        Path session = new Path(named(".journal").get(0)).getParent();
        files.createNonRecursive(new Path(session, "one.journal"), false, 1, (short) 1, 1 << 20, () -> {})
                .close();
        List<String> journals = named(".journal");

        assertThatThrownBy(() -> next.recover(NAME))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT))
                .hasMessageContaining("one.journal");

        assertThat(named(".journal")).hasSameSizeAs(journals);
    }

    @Test
    @DefaultLocale(language = "fa", country = "IR")
    void namesHaveAsciiDigitsWhateverTheLocaleIs() {
        assertThat(HdfsPaths.journal(PATHS.session(10), 2, 7))
                .hasToString("/talos/journals/000000000000000a/002-00000000000000000007.journal");
        assertThat(PATHS.rolled(NAME, 7).getName()).isEqualTo("00000000000000000000-1.00000000000000000007.log");
        assertThat(PATHS.recovered(NAME, 7, 9).getName())
                .isEqualTo("00000000000000000000-1.00000000000000000007-00000000000000000009.recovered");
    }
}
