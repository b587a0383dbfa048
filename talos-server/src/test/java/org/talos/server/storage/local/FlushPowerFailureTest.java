// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.log.Block;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.EndWait;
import org.talos.server.log.MemoryCatalog;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.PutTicket;
import org.talos.server.log.SegmentCatalog;
import org.talos.server.log.StoredBlock;
import org.talos.server.log.TailCache;
import org.talos.server.log.gap.Gap;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Logs that are acknowledged from the system's memory, and power failures that take any of it, by seed. */
@Timeout(120)
class FlushPowerFailureTest {
    private static final long SEEDS = Long.getLong("talos.seeds", 40);
    private static final long FIRST_SEED = Long.getLong("talos.seed", 1);
    private static final int MOST_BYTES = 20_000;

    private static final LogConfig SMALL_SEGMENTS = TestConfig.of(LogConfig.class)
            .with("durability", Durability.FLUSH)
            .with("segmentBytes", 64 << 10)
            .with("indexIntervalBytes", 4096)
            .with("tailCacheBytes", 1 << 20)
            .with("dedupeWindow", 100)
            .with("dedupeAge", Duration.ofMinutes(1))
            .with("dedupeBytes", 1 << 20)
            .with("journalFileBytes", 64 << 10)
            .with("maxUnwrittenBytes", 1 << 20)
            .create();

    static final Random NOTHING_IS_KEPT = new Random(1) {
        private static final long serialVersionUID = 1;

        @Override
        public boolean nextBoolean() {
            return false;
        }
    };

    static PartitionLog open(JournaledSegmentStore store, MemoryCatalog catalog) throws StorageException {
        PartitionLog.Parts parts = new PartitionLog.Parts(
                new PartitionLog.Memory(new TailCache(0), new DedupeMemory(1 << 20), new SegmentIndexes(1 << 20)),
                new PartitionLog.Pools(Runnable::run, Runnable::run, Runnable::run),
                new SteadyClock(() -> Instant.ofEpochMilli(0), () -> 0),
                () -> 0,
                new LogMetrics(new Metrics(() -> 0)),
                new SystemThreads());
        return PartitionLog.open(
                Stores.LOG, store, catalog.takeOver(), () -> SegmentOptions.DEFAULT, SMALL_SEGMENTS, parts, () -> {});
    }

    @Test
    void logGoesOnWithTheMessagesBeforeTheFirstThatWasLost() throws Exception {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try {
                run(new Random(seed));
            } catch (StorageException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** The new header of a file that is begun again may be lost, and the old one says that it was synced. */
    @Test
    void powerFailsSoonAfterTheDurabilityWasChanged() throws Exception {
        LosingDisk disk = new LosingDisk(Stores.MOUNTED);
        SegmentName name = Stores.segment(0);
        JournaledSegmentStore store = Stores.open(disk, Durability.FSYNC);
        SegmentWriter writer = store.create(name);
        for (int i = 0; i < 12; i++) { // several journal files, all of them full: one is kept in the end
            writer.append(Stores.bytes("x".repeat(20_000))).join();
        }
        await().until(() -> disk.list(Stores.PATHS.journal()).stream().anyMatch(DiskPaths::isSpareJournal));
        store = loseThePower(disk, store, NOTHING_IS_KEPT); // and comes back without syncs
        store.create(Stores.segment(1)).append(Stores.bytes("abc")).join();

        store = loseThePower(disk, store, NOTHING_IS_KEPT);

        assertThat(store.recover(name)).isEqualTo(240_000);
        store.close();
    }

    private static void run(Random random) throws StorageException {
        Left left = Left.withThirty(random);
        for (int failures = 1 + random.nextInt(3); failures > 0; failures--) {
            left.disk.powerOff(random);
            JournaledSegmentStore store = left.start();
            if (random.nextBoolean()) { // before the partition was opened: its journal has been replayed and is gone
                store = loseThePower(left.disk, store, random);
            }
            PartitionLog reopened = open(store, left.catalog);
            readAll(reopened, left.sizes);
            put(reopened, random, random.nextInt(10), left.sizes);
            readAll(reopened, left.sizes);
            kill(left.disk, store);
        }
    }

    /** Puts messages, and notes their offsets, of which none was acknowledged before. */
    static void put(PartitionLog log, Random random, int messages, Map<Long, Integer> sizes) {
        for (int i = 0; i < messages; i++) {
            int bytes = 1 + random.nextInt(MOST_BYTES);
            Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.allocate(bytes));
            PutTicket ticket = log.append(List.of(new Put("", Put.Origin.UNIQUE, List.of(block))))
                    .get(0);
            assertThat(sizes.put(ticket.firstOffset().join(), bytes))
                    .as("the message that had the offset before")
                    .isNull();
        }
    }

    private static void readAll(PartitionLog log, Map<Long, Integer> sizes) {
        long next = 0;
        while (next < log.durableEnd()) {
            for (StoredBlock block :
                    log.read(next, new BlockLimits(100, 1 << 20)).blocks()) {
                assertThat(block.bytes().remaining()).isEqualTo(sizes.get(block.baseOffset()));
                next = block.endOffset();
            }
        }
    }

    /** An opening that fails, or a process that is killed meanwhile, makes the next one forget nothing. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void openingThatFailsAtAnyOperationIsRepeated(long seed) throws Exception {
        boolean opened = false;
        for (int operations = 0; !opened; operations++) {
            Left left = Left.withThirty(new Random(seed));
            left.disk.powerOff(left.random);

            left.disk.failAfter(operations);
            opened = opens(left);
            left.disk.processEnds();

            left.assertContinues(left.start());
        }
    }

    private static boolean opens(Left left) {
        try (JournaledSegmentStore store = left.start()) {
            return opens(store, left.catalog);
        } catch (StorageException e) {
            return false; // as a fault was asked for
        }
    }

    private static boolean opens(JournaledSegmentStore store, MemoryCatalog catalog) {
        try {
            var unused = open(store, catalog);
            return true;
        } catch (StorageException e) {
            return false; // as a fault was asked for
        }
    }

    /** A change of the row fails, or its answer is lost. The same process opens the log again, or the next one. */
    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void openingThatFailsAtAnyChangeOfTheRowIsRepeated(boolean answerLost, boolean killed) throws Exception {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 3; seed++) {
            boolean opened = false;
            for (int changes = 0; !opened; changes++) {
                Left left = Left.withThirty(new Random(seed));
                left.disk.powerOff(left.random);
                JournaledSegmentStore store = left.start();

                left.catalog.failAfter(changes, answerLost);
                opened = opens(store, left.catalog);
                left.catalog.heal();
                if (killed) {
                    kill(left.disk, store);
                    store = left.start();
                }

                left.assertContinues(store);
            }
        }
    }

    /** A process that is killed loses nothing, so its log has no gap. */
    @Test
    void logOfAKilledProcessHasNoGap() throws Exception {
        Left left = Left.withThirty(new Random(FIRST_SEED));
        JournaledSegmentStore store = left.start();

        PartitionLog reopened = open(store, left.catalog);

        put(reopened, left.random, 1, left.sizes);
        assertThat(reopened.durableEnd()).isEqualTo(31);
        assertThat(reopened.newestGap()).isEqualTo(Gap.NONE);
        store.close();
    }

    /** The system has stayed up, and the disk has lost what was not synced. */
    @Test
    void logOnADiskThatWasDetachedHasAGap() throws Exception {
        Left left = Left.withThirty(new Random(FIRST_SEED));
        left.disk.detach(NOTHING_IS_KEPT);

        left.assertContinues(left.start());

        assertThat(left.catalog.segments()).anyMatch(SegmentCatalog.Known::isGap);
    }

    /** A group that had committed what is lost gets what is put next. */
    @Test
    void readerThatWasBehindTheEndGetsTheNextMessage() throws Exception {
        Left left = Left.withThirty(new Random(FIRST_SEED));
        left.disk.powerOff(NOTHING_IS_KEPT);
        JournaledSegmentStore store = left.start();
        PartitionLog reopened = open(store, left.catalog);
        long end = reopened.durableEnd();
        assertThat(end).isLessThan(30);
        assertThat(reopened.read(30, new BlockLimits(100, 1 << 20)).blocks()).isEmpty();
        AtomicInteger woken = new AtomicInteger();
        reopened.await(new EndWait(30, woken::incrementAndGet));

        put(reopened, left.random, 1, left.sizes);

        await().untilAsserted(() -> assertThat(woken).hasValue(1));
        List<StoredBlock> found =
                reopened.read(30, new BlockLimits(100, 1 << 20)).blocks();
        assertThat(found).hasSize(1);
        assertThat(reopened.newestGap().messages(0, reopened.durableEnd())).isEqualTo(end + 1);
        assertThat(reopened.offsetAtTime(1)).isEqualTo(reopened.durableEnd());
        store.close();
    }

    /** More is lost than was deleted: until the next message comes the log is empty, and nothing comes back. */
    @Test
    void logThatEndsBeforeItsNewStartContinuesBehindThat() throws Exception {
        Left left = Left.withThirty(new Random(FIRST_SEED));
        left.catalog.takeOver().readFrom(30);
        left.disk.powerOff(NOTHING_IS_KEPT);
        JournaledSegmentStore store = left.start();

        PartitionLog reopened = open(store, left.catalog);

        assertThat(reopened.durableEnd()).isLessThan(30);
        assertThat(reopened.startOffset()).isEqualTo(reopened.durableEnd());
        put(reopened, left.random, 1, left.sizes);
        assertThat(reopened.read(30, new BlockLimits(100, 1 << 20)).blocks()).hasSize(1);
        assertThat(open(store, left.catalog).startOffset()).isEqualTo(30);
        store.close();
    }

    private static void kill(LosingDisk disk, JournaledSegmentStore store) {
        disk.failAfter(0);
        store.close();
        disk.processEnds();
    }

    private static JournaledSegmentStore loseThePower(LosingDisk disk, JournaledSegmentStore store, Random random)
            throws StorageException {
        kill(disk, store);
        disk.powerOff(random);
        return Stores.open(disk, Durability.FLUSH);
    }

    /** A log whose process was killed: its disk, its row, and the sizes of its messages by offset. */
    private record Left(LosingDisk disk, MemoryCatalog catalog, Random random, Map<Long, Integer> sizes) {
        static Left withThirty(Random random) throws StorageException {
            Left left = new Left(new LosingDisk(Stores.MOUNTED), new MemoryCatalog(), random, new HashMap<>());
            JournaledSegmentStore store = left.start();
            put(FlushPowerFailureTest.open(store, left.catalog), random, 30, left.sizes);
            kill(left.disk, store);
            return left;
        }

        JournaledSegmentStore start() throws StorageException {
            return Stores.open(disk, Durability.FLUSH);
        }

        /** The log takes messages, gives no offset twice, and has one gap at most; then the store is closed. */
        void assertContinues(JournaledSegmentStore store) throws StorageException {
            PartitionLog reopened = FlushPowerFailureTest.open(store, catalog);
            put(reopened, random, 1, sizes);
            readAll(reopened, sizes);
            assertThat(catalog.segments().stream().filter(SegmentCatalog.Known::isGap))
                    .hasSizeLessThanOrEqualTo(1);
            store.close();
        }
    }
}
