// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.log.LogFixture.ALL;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.block;
import static org.talos.server.log.LogFixture.large;
import static org.talos.server.log.LogFixture.put;
import static org.talos.server.log.LogFixture.texts;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.testing.MemorySegmentStore;
import org.talos.thrift.ErrorCode;

@Timeout(30)
class PartitionLogTest {
    private final LogFixture fixture = new LogFixture();

    @Test
    void nothingIsSeenBeforeItIsDurable() throws Exception {
        PartitionLog log = fixture.open();
        fixture.store.holdFlushes();
        PutTicket first = append(log, put("first"));
        PutTicket second = append(log, put("second"));

        assertThat(log.durableEnd()).isZero();
        assertThat(log.read(0, ALL).blocks()).isEmpty();
        fixture.store.flush(1);
        assertThat(first.firstOffset()).isCompletedWithValue(0L);
        assertThat(second.firstOffset()).isNotDone();
        assertThat(texts(log, 0)).containsExactly("first");
        fixture.store.releaseFlushes();
        assertThat(second.firstOffset()).isCompletedWithValue(1L);
    }

    @Test
    void putsWaitForTheirSegmentWithoutHoldingTheWorker() throws Exception {
        Queue<Runnable> beginnings = new ArrayDeque<>();
        fixture.openings = beginnings::add;
        PartitionLog log = fixture.open();

        List<PutTicket> tickets = List.of(append(log, put("a")), append(log, put("b")), append(log, put("b")));
        assertThat(tickets).noneMatch(ticket -> ticket.firstOffset().isDone());
        assertThat(beginnings).hasSize(1);
        beginnings.remove().run();

        assertThat(tickets.get(0).firstOffset()).isCompletedWithValue(0L);
        assertThat(tickets.get(1).firstOffset()).isCompletedWithValue(1L);
        assertThat(texts(log, 0)).startsWith("a", "b");
    }

    @Test
    void putsWhoseSegmentCannotBeBegunSurelyDidNothing() throws Exception {
        Queue<Runnable> beginnings = new ArrayDeque<>();
        fixture.openings = beginnings::add;
        PartitionLog log = fixture.open();
        PutTicket waiting = append(log, put("a"));
        fixture.store.failNextCreate(new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "made to fail", null));

        beginnings.remove().run();

        assertThatThrownBy(() -> waiting.firstOffset().join())
                .cause()
                .isInstanceOfSatisfying(TalosException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.PARTITION_NOT_SERVING);
                    assertThat(e.effect()).isEqualTo(Effect.NONE);
                });
        assertThat(fixture.failures).isEqualTo(1);
    }

    @Test
    void closingEndsPutsThatWaitForTheirSegment() throws Exception {
        Queue<Runnable> beginnings = new ArrayDeque<>();
        fixture.openings = beginnings::add;
        PartitionLog log = fixture.open();
        PutTicket waiting = append(log, put("a"));

        log.close();
        beginnings.remove().run();

        assertThat(waiting.firstOffset()).isCompletedExceptionally();
        assertThat(texts(fixture.open(), 0)).isEmpty();
    }

    @Test
    void endHasMovedBeforeTheProducerHears() throws Exception {
        PartitionLog log = fixture.open();
        fixture.store.holdFlushes();
        PutTicket ticket = append(log, put("p#1", block(3, "abc")));
        var seen = ticket.firstOffset().thenApply(offset -> log.durableEnd());

        fixture.store.releaseFlushes();

        assertThat(seen).isCompletedWithValue(3L);
    }

    @Test
    void putInFlightIsNotAcknowledgedOnceAnotherOwnerHasTakenOver() throws Exception {
        PartitionLog log = fixture.open();
        fixture.store.holdFlushes();
        PutTicket ticket = append(log, put("zombie"));

        PartitionLog successor = fixture.open();
        fixture.store.releaseFlushes();

        assertFailed(ticket, ErrorCode.HDFS_OPERATION_FAILED, Effect.UNKNOWN);
        assertThat(log.durableEnd()).isZero();
        assertThat(texts(successor, 0)).isEmpty();
        assertFailed(append(log, put("later")), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThat(fixture.failures).isEqualTo(1);
    }

    @Test
    void putInFlightIsNotSaidToHaveDoneNothingWhenTheNextSegmentCannotBeMade() throws Exception {
        PartitionLog log = fixture.open();
        fixture.store.holdFlushes();
        PutTicket inFlight = append(log, large("in flight"));
        fixture.store.failNextCreate(MemorySegmentStore.failure(Reason.UNAVAILABLE, Effect.NONE, "no room"));

        PutTicket refused = append(log, put("refused"));

        assertFailed(refused, ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertFailed(inFlight, ErrorCode.HDFS_OPERATION_FAILED, Effect.UNKNOWN);
        fixture.store.releaseFlushes(); // and it does take effect
        assertThat(fixture.open().durableEnd()).isEqualTo(1);
    }

    @Test
    void putFailingWhileItsSegmentEndsLeavesNothingOfThoseBehindIt() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("kept"));
        fixture.store.holdFlushes();
        PutTicket lost = append(log, large("lost"));
        PutTicket behind = append(log, put("in the next segment"));

        fixture.store.failOldest(MemorySegmentStore.failure(Reason.UNAVAILABLE, Effect.UNKNOWN, "a sync failed"));
        fixture.store.releaseFlushes();

        assertFailed(lost, ErrorCode.HDFS_OPERATION_FAILED, Effect.UNKNOWN);
        assertFailed(behind, ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThat(texts(fixture.open(), 0)).containsExactly("kept");
    }

    @Test
    void segmentThatIsThereInTimeTakesPutsOnceTheOneBeforeIsDurable() throws Exception {
        PartitionLog log = fixture.open();
        fixture.store.holdFlushes();
        PutTicket last = append(log, large("a"));
        List<PutTicket> parked = List.of(append(log, put("b")), append(log, put("c")));
        assertThat(fixture.catalog.segments()).hasSize(2);
        assertThat(fixture.store.bytes(fixture.catalog.last())).isEmpty();
        long ofTheFirst = fixture.store.waitingBytes();

        fixture.store.flush(1);

        assertThat(last.firstOffset()).isCompletedWithValue(0L);
        assertThat(fixture.store.waitingBytes()).isPositive().isLessThan(ofTheFirst);
        fixture.store.releaseFlushes();
        assertThat(parked.get(1).firstOffset()).isCompletedWithValue(2L);
        assertThat(texts(log, 1)).containsExactly("b", "c");
    }

    @Test
    void closingWhileASegmentEndsRefusesThoseBehindIt() throws Exception {
        PartitionLog log = fixture.open();
        fixture.store.holdFlushes();
        PutTicket last = append(log, large("a"));
        PutTicket behind = append(log, put("b"));

        log.close();
        fixture.store.releaseFlushes();

        assertThat(last.firstOffset()).isCompletedWithValue(0L);
        assertFailed(behind, ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        assertThat(fixture.open().durableEnd()).isEqualTo(1);
    }

    private static void assertFailed(PutTicket ticket, ErrorCode code, Effect effect) {
        assertThat(ticket.firstOffset()).isCompletedExceptionally();
        assertThatThrownBy(() -> ticket.firstOffset().join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(TalosException.class, e -> {
                    assertThat(e.code()).isEqualTo(code);
                    assertThat(e.effect()).isEqualTo(effect);
                });
    }

    @Test
    void putsThatTheFormatCannotHoldAreRefusedAtOnce() {
        assertThatThrownBy(() -> put("x".repeat(1 << 16), block(1, "a"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> block(0, "a")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Put("p", Put.Origin.UNIQUE, java.util.Collections.nCopies(1 << 16, block(1, "a"))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    // Blocks: 0-1 (10 bytes), 2 (10), 3-5 (30), 6 (10)
    @ParameterizedTest
    @CsvSource({
        "0, 100, 1000, 0, 4",
        "1, 100, 1000, 0, 4",
        "2, 100, 1000, 2, 3",
        "4, 100, 1000, 3, 2",
        "6, 100, 1000, 6, 1",
        "0, 1, 1000, 0, 1",
        "0, 3, 1000, 0, 2",
        "3, 1, 1, 3, 1",
        "0, 100, 20, 0, 2",
        "0, 100, 49, 0, 2",
        "0, 100, 50, 0, 3",
    })
    void readReturnsWholeBlocksFromTheOneThatHoldsTheOffset(
            long offset, int messages, long bytes, long first, int blocks) throws Exception {
        PartitionLog log = fourBlocks();

        assertThat(log.readFromMemory(offset, new BlockLimits(messages, bytes))).hasValueSatisfying(slice -> {
            assertThat(slice.blocks()).hasSize(blocks);
            assertThat(slice.blocks().get(0).baseOffset()).isEqualTo(first);
        });
        PartitionLog reopened = fixture.open(); // nothing in memory
        Slice slice = reopened.read(offset, new BlockLimits(messages, bytes));
        assertThat(reopened.readFromMemory(offset, ALL)).isEmpty();
        assertThat(slice.blocks()).hasSize(blocks);
        assertThat(slice.blocks().get(0).baseOffset()).isEqualTo(first);
        assertThat(slice.durableEnd()).isEqualTo(7);
    }

    @Test
    void readFromStorageTakesRoomForWhatItReadsAndEndsWhereThereIsNone() throws Exception {
        fourBlocks();
        PartitionLog reopened = fixture.open(); // nothing in memory
        AtomicLong room = new AtomicLong(45); // for 10, 10 and not 30 bytes
        BlockLimits.Room taking = bytes -> {
            boolean fits = bytes <= room.get();
            room.addAndGet(fits ? -bytes : 0);
            return fits;
        };

        Slice slice = reopened.read(0, new BlockLimits(1_000, 1 << 20), taking);
        assertThat(slice.blocks()).hasSize(2);
        assertThat(room).hasValue(25);

        room.set(1 << 20);
        assertThat(reopened.read(0, new BlockLimits(1_000, 1 << 20), taking).blocks())
                .hasSize(4);
        assertThat(room).as("the stored messages, not the limit").hasValue((1 << 20) - 60);

        room.set(9);
        assertThatThrownBy(() -> reopened.read(0, new BlockLimits(1_000, 1 << 20), taking))
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EXCESSIVE_PENDING_MESSAGE));
    }

    private PartitionLog fourBlocks() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("p#1", block(2, "0123456789"), block(1, "1123456789")));
        append(log, put("p#2", block(3, "2".repeat(30))));
        append(log, put("p#3", block(1, "3123456789")));
        return log;
    }

    @Test
    void readAtTheEndIsEmptyAndOutsideIsOutOfRange() throws Exception {
        PartitionLog log = fourBlocks();

        assertThat(log.read(7, ALL).blocks()).isEmpty();
        for (long outside : new long[] {8, Long.MAX_VALUE, -1, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> log.readFromMemory(outside, ALL))
                    .hasMessageStartingWith(
                            "Message out range: offset " + outside + " is not in the partition: it has 0 to 6")
                    .isInstanceOfSatisfying(
                            TalosException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE));
        }
    }

    @Test
    void readGoesOnOverSegmentsAndOutOfASmallCache() throws Exception {
        fixture.tailCacheBytes = 1000;
        PartitionLog log = fixture.open();
        append(log, put("a"));
        append(log, large("b"));
        append(log, put("c"));
        fixture.settle();

        assertThat(fixture.catalog.segments()).hasSize(2);
        assertThat(log.readFromMemory(0, ALL)).isEmpty();
        assertThat(log.readFromMemory(2, ALL)).isPresent();
        assertThat(log.read(0, ALL).blocks()).hasSize(3);
    }

    @Test
    void readLeavesTheBlockThatIsTooMuchUnread() throws Exception {
        int block = 1 << 20;
        fixture.tailCacheBytes = 0;
        fixture.segmentBytes = 10L * block;
        PartitionLog log = fixture.open();
        for (String each : List.of("a", "b")) {
            append(log, put(each, block(900, each.repeat(block))));
        }

        assertThat(log.read(0, new BlockLimits(1_000, Long.MAX_VALUE)).blocks()).hasSize(1);
        assertThat(fixture.store.bytesRead().get(fixture.catalog.last())).isLessThan(block + block / 16);
    }

    @Test
    void damageInASealedSegmentIsAnErrorAndNamesNoFile() throws Exception {
        append(fixture.open(), put("first"));
        PartitionLog log = fixture.open();
        damageLastSegment();

        assertThatThrownBy(() -> log.read(0, ALL))
                .hasMessageStartingWith("messages here are damaged, and are not served")
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HDFS_OPERATION_FAILED));
    }

    private void damageLastSegment() {
        SegmentName name = fixture.catalog.last();
        byte[] bytes = fixture.store.bytes(name);
        bytes[bytes.length - 1] ^= 1;
        fixture.store.replace(name, bytes);
    }

    /** A reader that continues from there would skip the damaged messages silently. */
    @Test
    void timeIsNotLookedForBehindDamage() throws Exception {
        append(fixture.open(), put("first"));
        PartitionLog log = fixture.open();
        damageLastSegment();
        append(log, put("second"));

        assertThatThrownBy(() -> log.offsetAtTime(0))
                .hasMessageStartingWith("messages here are damaged, and are not served");
    }

    @Test
    void indexThatIsGoneOrDamagedIsBuiltAnew() throws Exception {
        PartitionLog log = fixture.open();
        for (int i = 0; i < 50; i++) {
            append(log, put("block " + i));
        }
        log.close();
        SegmentName name = fixture.catalog.last();
        byte[] index = fixture.store.loadIndex(name).orElseThrow();
        byte[] damaged = index.clone();
        damaged[damaged.length - 1] ^= 1;

        for (byte[] saved : new byte[][] {index, damaged, {}, null}) {
            fixture.store.replaceIndex(name, saved);

            assertThat(texts(fixture.open(), 31)).startsWith("block 31").hasSize(19);
        }
    }

    @Test
    void timeFindsTheFirstMessageAppendedThenOrLater() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("p#1", block(2, "a")));
        fixture.millis += 100;
        append(log, put("p#2", block(1, "b")));

        assertThat(log.offsetAtTime(0)).isZero();
        assertThat(log.offsetAtTime(1_000_000)).isZero();
        assertThat(log.offsetAtTime(1_000_001)).isEqualTo(2);
        assertThat(log.offsetAtTime(1_000_100)).isEqualTo(2);
        assertThat(log.offsetAtTime(1_000_101)).isEqualTo(3);
    }

    @Test
    void appendTimestampsNeverGoBack() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        fixture.millis -= 500;
        append(log, put("b"));
        fixture.millis -= 500;
        PartitionLog reopened = fixture.open();
        append(reopened, put("c"));

        assertThat(reopened.read(0, ALL).blocks())
                .extracting(StoredBlock::appendTimestamp)
                .containsOnly(1_000_000L);
    }

    @Test
    void segmentOfALogThatWasDeletedMeanwhileIsAbandoned() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        SegmentName name = fixture.catalog.last();
        fixture.store.failSeals(MemorySegmentStore.failure(Reason.UNAVAILABLE, Effect.UNKNOWN, "its file is gone"));

        fixture.catalog.delete();
        log.close();

        assertThat(fixture.store.abandoned()).containsExactly(name);
    }

    @Test
    void segmentThatCanNotBeSealedNowIsKept() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        fixture.store.failSeals(MemorySegmentStore.failure(Reason.UNAVAILABLE, Effect.UNKNOWN, "storage is away"));

        log.close();

        assertThat(fixture.store.abandoned()).isEmpty();
    }

    @Test
    void segmentGoesOnGrowingWhileTooManyWaitToBeSealed() throws Exception {
        PartitionLog log = fixture.open();
        append(log, large("a"));
        fixture.refusesSeals = true;

        append(log, large("b")).firstOffset().join();
        assertThat(fixture.catalog.segments()).hasSize(1);

        fixture.refusesSeals = false;
        append(log, large("c")).firstOffset().join();
        assertThat(fixture.catalog.segments()).hasSize(2);
        log.close();
        assertThat(fixture.catalog.segments()).allMatch(SegmentCatalog.Known::sealed);
        assertThat(texts(fixture.open(), 0))
                .extracting(text -> text.substring(0, 1))
                .containsExactly("a", "b", "c");
    }

    @Test
    void closedLogHasSealedWhatWasDueAndFailedOneLeavesItToTheNextOpening() throws Exception {
        PartitionLog log = fixture.open();
        append(log, large("a"));
        append(log, large("b"));
        assertThat(fixture.background).hasSize(1);

        log.close();
        assertThat(fixture.catalog.segments()).allMatch(SegmentCatalog.Known::sealed);

        PartitionLog failing = fixture.open();
        append(failing, large("c"));
        append(failing, put("d"));
        fixture.store.holdFlushes();
        append(failing, put("e"));
        fixture.store.failWaiting(new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "lost", null));
        failing.close();
        fixture.settle();
        assertThat(fixture.catalog.segments())
                .filteredOn(known -> !known.sealed())
                .hasSize(2);

        assertThat(texts(fixture.open(), 0))
                .extracting(text -> text.substring(0, 1))
                .containsExactly("a", "b", "c", "d");
    }

    @Test
    void discardedLogSealsNothingAndLeavesNoSegmentThatItWrites() throws Exception {
        PartitionLog log = fixture.open();
        append(log, large("a"));
        append(log, large("b")); // the first waits to be sealed

        log.discard();
        fixture.settle();

        assertThat(fixture.catalog.segments()).noneMatch(SegmentCatalog.Known::sealed);
        assertThat(fixture.store.list(LogFixture.ID)).isEmpty();
        assertThat(append(log, put("c")).firstOffset()).isCompletedExceptionally();
    }
}
