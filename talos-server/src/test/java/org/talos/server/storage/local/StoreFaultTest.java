// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.storage.local.Stores.PATHS;
import static org.talos.server.storage.local.Stores.bytes;
import static org.talos.server.storage.local.Stores.segment;
import static org.talos.server.storage.local.Stores.text;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.server.config.Durability;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentRows;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournaledSegment;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.storage.journal.SegmentCopier;

/** One failure of the disk each, at a chosen place. */
@Timeout(30)
class StoreFaultTest {
    private static final SegmentName FIRST = segment(0);
    private static final SegmentName SECOND = segment(100);

    private final LosingDisk disk = new LosingDisk(Stores.MOUNTED);
    private JournaledSegmentStore store;

    @BeforeEach
    void open() throws StorageException {
        store = Stores.open(disk);
    }

    @AfterEach
    void close() {
        disk.heal();
        store.close();
    }

    /** Keeps nothing that was not synced. */
    private static final class Worst extends Random {
        private static final long serialVersionUID = 1;

        Worst() {
            super(1);
        }

        @Override
        public boolean nextBoolean() {
            return false;
        }
    }

    private void powerFailure() throws StorageException {
        disk.failAfter(0);
        store.close();
        disk.powerOff(new Worst());
        store = Stores.open(disk);
    }

    private void fail(String operation, String suffix) {
        disk.fault((each, path) -> {
            if (each.equals(operation) && path.toString().endsWith(suffix)) {
                throw new IOException("no space left");
            }
        });
    }

    private static StorageException failure(CompletableFuture<Void> append) {
        Throwable seen = append.handle((done, error) -> error).join();
        if (seen instanceof StorageException failure) {
            return failure;
        }
        throw new AssertionError("expected a failure of storage", seen);
    }

    @Test
    void failedSyncOfASegmentIsNeverCountedAsGood() throws Exception {
        SegmentWriter writer = store.create(FIRST);
        writer.append(bytes("abc")).join();
        failAll("sync", FIRST);
        assertThatThrownBy(writer::seal).isInstanceOf(StorageException.class);
        disk.heal();

        assertThat(store.recover(FIRST)).isEqualTo(3);
        disk.failAfter(0);
        store.close();
        disk.powerOff(new Worst());
        store = Stores.open(disk);

        assertThat(store.recover(FIRST)).isEqualTo(3);
        assertThat(text(store, FIRST)).isEqualTo("abc");
    }

    /** Of the file, and of one that is written in its place. */
    private void failAll(String operation, SegmentName name) {
        String file = String.valueOf(PATHS.segment(name).getFileName());
        disk.fault((each, path) -> {
            if (each.equals(operation) && String.valueOf(path.getFileName()).startsWith(file)) {
                throw new IOException("made to fail");
            }
        });
    }

    @Test
    void segmentWhoseSyncFailsOnceGoesOnInAnotherFile() throws Exception {
        SegmentWriter writer = store.create(FIRST);
        fail("sync", ".log");
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < 20; i++) { // several journal files: the segment is synced for them
            parts.add(Integer.toString(i % 10).repeat(20_000));
            writer.append(bytes(parts.get(i))).join();
        }

        assertThat(writer.seal()).isEqualTo(400_000);
        disk.failAfter(0);
        store.close();
        disk.powerOff(new Worst());
        store = Stores.open(disk);

        assertThat(text(store, FIRST)).isEqualTo(String.join("", parts));
    }

    @Test
    void cutIsNotUndoneByThePowerFailing() throws Exception {
        store.create(FIRST).append(bytes("abcdef")).join();
        store.recover(FIRST);

        store.truncate(FIRST, 2);
        powerFailure();

        assertThat(store.recover(FIRST)).isEqualTo(2);
    }

    @Test
    void journalFileThatAFullDiskKeptListedIsTakenFromTheListBeforeItIsDeleted() throws Exception {
        LosingDisk alone = new LosingDisk(Stores.ROOT);
        alone.createDirectory(PATHS.journal());
        alone.createDirectory(PATHS.segments());
        JournalList list = JournalList.open(alone, PATHS);
        list.add(1);
        alone.fault((operation, path) -> {
            if (operation.equals("write")) {
                throw new IOException("No space left on device");
            }
        });
        assertThatThrownBy(() -> list.remove(1)).isInstanceOf(IOException.class);
        alone.heal();

        list.remove(1); // tried again, and then the file is deleted

        assertThat(JournalList.open(alone, PATHS)).as("misses no file").isNotNull();
    }

    @Test
    void directoryOfATopicGoesWithItsLastLog() throws Exception {
        store.create(FIRST).append(bytes("abc")).join();

        store.deleteLog(FIRST.log());

        assertThat(disk.list(PATHS.segments())).isEmpty();
        store.create(FIRST).append(bytes("abc")).join();
        powerFailure();
        assertThat(store.recover(FIRST)).isEqualTo(3);
    }

    @Test
    void deletedSegmentDoesNotComeBackWhenThePowerFails() throws Exception {
        store.create(FIRST).append(bytes("abc")).join();
        store.delete(FIRST);

        powerFailure();

        assertThat(store.list(FIRST.log())).isEmpty();
        assertThatThrownBy(() -> store.recover(FIRST)).hasMessageContaining("is missing");
    }

    @Test
    void appendUnderWayIsSettledBeforeRecoverReturns() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        SegmentWriter writer = store.create(FIRST);
        disk.fault((operation, path) -> {
            if (operation.equals("sync") && path.toString().endsWith(".journal")) {
                held.countDown();
                await(gate);
            }
        });
        CompletableFuture<Void> append = writer.append(bytes("abc"));
        held.await(); // the journal stands inside the sync

        CompletableFuture<Long> recovered = CompletableFuture.supplyAsync(() -> {
            try {
                return store.recover(FIRST);
            } catch (StorageException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(text(store, FIRST)).isEmpty();
        assertThat(recovered).isNotDone();
        gate.countDown();

        assertThat(recovered.join()).isEqualTo(3);
        assertThat(append).isCompleted();
        assertThat(failure(writer.append(bytes("d"))).reason()).isEqualTo(Reason.FENCED);
    }

    private static void await(CountDownLatch gate) throws IOException {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void fullDiskFailsAppendsAndTheStoreGoesOnWhenThereIsSpace() throws Exception {
        SegmentWriter writer = store.create(FIRST);
        writer.append(bytes("abc")).join();
        fail("write", ".journal");
        assertThat(failure(writer.append(bytes("def"))).reason()).isEqualTo(Reason.UNAVAILABLE);
        disk.heal();
        assertThat(failure(writer.append(bytes("ghi"))).reason()).isEqualTo(Reason.UNAVAILABLE);

        assertThat(store.recover(FIRST)).isEqualTo(3);
        store.create(SECOND).append(bytes("xyz")).join();
        powerFailure();

        assertThat(text(store, FIRST)).isEqualTo("abc");
        assertThat(text(store, SECOND)).isEqualTo("xyz");
    }

    @Test
    void whatRecoverSaidAfterAFailedSyncHoldsAfterACrash() throws Exception {
        SegmentWriter writer = store.create(FIRST);
        writer.append(bytes("abc")).join();
        fail("sync", ".journal");
        failure(writer.append(bytes("def")));
        disk.heal();

        assertThat(store.recover(FIRST)).isEqualTo(3);
        disk.failAfter(0); // the process is killed: what was written may yet be on the disk
        store.close();
        disk.powerOff(new Random(1) {
            @Override
            public boolean nextBoolean() {
                return true;
            }
        });
        store = Stores.open(disk);

        assertThat(store.recover(FIRST)).isEqualTo(3);
    }

    @Test
    void journalFileThatCouldNotBeBegunIsPassedOver() throws Exception {
        SegmentWriter writer = store.create(FIRST);
        fail("sync", ".journal");
        failure(writer.append(bytes("abc")));
        disk.heal();

        store.create(SECOND).append(bytes("xyz")).join();

        assertThat(disk.list(PATHS.journal())).containsExactly(PATHS.journal(2));
        powerFailure();
        assertThat(text(store, SECOND)).isEqualTo("xyz");
    }

    @Test
    void journalFileThatWasBegunHalfWayIsNotFoundAmongOthersAtAStart() throws Exception {
        fail("write", "JOURNAL.new");
        failure(store.create(FIRST).append(bytes("abc")));
        disk.heal();
        SegmentWriter writer = store.create(SECOND);
        for (int i = 0; i < 22; i++) { // several journal files, the last of which is open
            writer.append(bytes("x".repeat(20_000))).join();
        }
        Awaitility.await().until(() -> !disk.exists(PATHS.journal(2)));

        powerFailure();

        assertThat(store.recover(SECOND)).isEqualTo(440_000);
    }

    @Test
    void faultOfOurOwnEndsTheJournalAndNobodyWaitsForEver() throws Exception {
        SegmentWriter writer = store.create(FIRST);
        disk.fault((operation, path) -> {
            if (operation.equals("write")) {
                throw new IllegalStateException("a fault");
            }
        });

        failure(writer.append(bytes("abc")));

        assertThat(failure(store.create(SECOND).append(bytes("def"))).reason()).isEqualTo(Reason.UNAVAILABLE);
    }

    @Test
    void listenerThatFailsHoldsNobodyUp() throws Exception {
        store.close();
        store = LocalSegmentStore.open(
                Stores.ROOT,
                Stores.config(Durability.FSYNC),
                () -> 0,
                (bytes, write, sync) -> {
                    throw new IllegalStateException("a fault");
                },
                SegmentRows.NONE,
                disk,
                new SystemThreads());
        SegmentWriter writer = store.create(FIRST);

        writer.append(bytes("abc")).join();
        writer.append(bytes("def")).join();

        assertThat(text(store, FIRST)).isEqualTo("abcdef");
    }

    @Test
    void directoryWhoseNameMayBeLostIsSyncedBeforeItIsUsed() throws Exception {
        fail("syncDirectory", "segments");
        assertThatThrownBy(() -> store.create(FIRST)).isInstanceOf(StorageException.class);
        disk.heal();

        store.create(SECOND).append(bytes("xyz")).join();
        powerFailure();

        assertThat(text(store, SECOND)).isEqualTo("xyz");
    }

    @Test
    void partOfAFailedWriteIsNeverShown() throws Exception {
        store.close();
        store = Stores.open(disk, Durability.FLUSH);
        SegmentWriter writer = store.create(FIRST);
        writer.append(bytes("abc")).join();
        fail("write", ".journal");
        failure(writer.append(bytes("defghi")));
        disk.heal();

        assertThat(text(store, FIRST)).isEqualTo("abc");
        assertThat(store.recover(FIRST)).isEqualTo(3);
        assertThat(text(store, FIRST)).isEqualTo("abc");
    }

    @Test
    void secondStoreIsRefusedTheDirectory() {
        assertThatThrownBy(() -> Stores.open(disk)).hasMessageContaining("in use by another server");
    }

    @Test
    void journalIsForgottenOnceItsBytesAreOnTheDiskTwice() throws Exception {
        SegmentWriter writer = store.create(FIRST);
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            parts.add(Integer.toString(i % 10).repeat(20_000));
            writer.append(bytes(parts.get(i))).join();
        }
        assertThat(text(store, FIRST)).isEqualTo(String.join("", parts));
        store.close();
        assertThat(disk.list(PATHS.journal())).singleElement().matches(DiskPaths::isSpareJournal);

        disk.powerOff(new Worst());
        store = Stores.open(disk);

        assertThat(text(store, FIRST)).isEqualTo(String.join("", parts));
    }

    /** Neither in the part of the file that was read, nor in memory any more. */
    @Test
    void bytesThatAreCopiedWhileTheyAreReadAreRead() throws Exception {
        store.create(FIRST).close();
        SegmentName other = segment(200);
        JournaledSegment segment = new JournaledSegment(other, disk.create(PATHS.segment(other)));
        segment.take(bytes("abc"));
        segment.durable(3);
        segment.writeOut();
        segment.take(bytes("def"));
        segment.durable(6);
        disk.fault((operation, path) -> {
            if (operation.equals("read")) {
                disk.heal();
                segment.writeOut();
            }
        });
        ByteBuffer target = ByteBuffer.allocate(6);

        assertThat(segment.read(0, target)).isEqualTo(6);
        assertThat(target.array()).asString().isEqualTo("abcdef");
    }

    @Test
    void oneSegmentThatFailsDoesNotHoldTheOthersUp() throws Exception {
        store.create(FIRST).close();
        store.create(SECOND).close();
        SegmentName third = segment(200);
        SegmentName fourth = segment(300);
        JournaledSegment bad = new JournaledSegment(third, disk.create(PATHS.segment(third)));
        JournaledSegment good = new JournaledSegment(fourth, disk.create(PATHS.segment(fourth)));
        for (JournaledSegment each : List.of(bad, good)) {
            each.take(bytes("abc"));
            each.durable(3);
        }
        fail("write", PATHS.segment(third).getFileName().toString());

        new SegmentCopier(
                        10,
                        0,
                        1,
                        new SegmentCopier.Segments(() -> List.of(bad, good), segment -> {}, segment -> {}),
                        () -> 0,
                        new SystemThreads())
                .round();

        assertThat(disk.bytes(PATHS.segment(fourth))).asString().isEqualTo("abc");
    }

    @Test
    void droppedSegmentGivesItsBytesBackOnce() throws Exception {
        disk.createDirectory(Stores.MOUNTED.resolve("alone"));
        JournaledSegment segment = new JournaledSegment(
                FIRST, disk.create(Stores.MOUNTED.resolve("alone").resolve("file")));
        segment.take(bytes("abc"));

        assertThat(segment.drop()).isEqualTo(3);
        segment.durable(3);
        assertThat(segment.writeOut()).isZero();
        assertThat(segment.fail(new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "failed", null)))
                .isZero();
        assertThat(segment.drop()).isZero();
    }

    @Test
    void appendThatRacesCloseEndsAndClosingDoesToo() throws Exception {
        SegmentWriter writer = store.create(FIRST);
        AtomicBoolean stop = new AtomicBoolean();
        List<CompletableFuture<Void>> appends = new ArrayList<>();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> worker = CompletableFuture.runAsync(() -> {
            while (!stop.get() && appends.size() < 100_000) {
                appends.add(writer.append(bytes("abc")));
                begun.countDown();
            }
        });
        begun.await();

        store.close();
        stop.set(true);
        worker.join();

        assertThat(appends).allMatch(CompletableFuture::isDone);
        long taken = appends.stream()
                .filter(each -> !each.isCompletedExceptionally())
                .count();
        store = Stores.open(disk);
        assertThat(store.recover(FIRST)).isEqualTo(3 * taken);
    }
}
