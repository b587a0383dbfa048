// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.storage.StorageException.Reason;

/** The promises of every {@link SegmentStore}. */
@Timeout(30)
public abstract class SegmentStoreContract {
    private static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 3);
    private static final SegmentName SEGMENT = new SegmentName(LOG, 0, 1);

    private SegmentStore store;

    /** Opens the store on the same data each time; the one before has been closed. */
    protected abstract SegmentStore open() throws Exception;

    @BeforeEach
    final void openStore() throws Exception {
        store = open();
    }

    @AfterEach
    final void closeStore() {
        store.close();
    }

    private static List<ByteBuffer> bytes(String... parts) {
        return List.of(parts).stream()
                .map(part -> ByteBuffer.wrap(part.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    private String read(long position, int most) throws StorageException {
        ByteBuffer target = ByteBuffer.allocate(most);
        assertThat(store.read(SEGMENT, position, target)).isEqualTo(target.position());
        return StandardCharsets.UTF_8.decode(target.flip()).toString();
    }

    private static void assertReason(ThrowingCallable call, Reason reason) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    private static void assertFails(CompletableFuture<Void> append, Reason reason) {
        Throwable failure = append.handle((done, error) -> error).join();
        assertThat(failure)
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void readsWhatWasAppendedWhileTheWriterGoesOn() throws Exception {
        SegmentWriter writer = store.create(SEGMENT);
        writer.append(bytes("ab", "", "c")).join();
        writer.append(bytes("def")).join();

        assertThat(read(0, 100)).isEqualTo("abcdef");
        assertThat(read(2, 3)).isEqualTo("cde");
        assertThat(read(6, 3)).isEmpty();
        assertThat(read(7, 3)).isEmpty();
        assertThat(writer.length()).isEqualTo(6);
    }

    @Test
    void buffersKeepTheirPositions() throws Exception {
        List<ByteBuffer> bytes = bytes("abc");

        store.create(SEGMENT).append(bytes).join();

        assertThat(bytes.get(0).position()).isZero();
    }

    @Test
    void sealedSegmentIsReadAndTakesNothingMore() throws Exception {
        SegmentWriter writer = store.create(SEGMENT);
        writer.append(bytes("abc")).join();

        assertThat(writer.seal()).isEqualTo(3);
        assertFails(writer.append(bytes("d")), Reason.FENCED);
        assertThat(read(0, 100)).isEqualTo("abc");
        assertThat(store.recover(SEGMENT)).isEqualTo(3);
    }

    @Test
    void recoverFencesTheWriter() throws Exception {
        SegmentWriter writer = store.create(SEGMENT);
        CompletableFuture<Void> before = writer.append(bytes("abc"));

        assertThat(store.recover(SEGMENT)).isEqualTo(3);
        assertThat(before).isCompleted();
        assertFails(writer.append(bytes("d")), Reason.FENCED);
        assertThat(store.recover(SEGMENT)).isEqualTo(3);
    }

    @Test
    void missingSegmentIsRefusedAndNotMade() throws Exception {
        assertReason(() -> store.recover(SEGMENT), Reason.CORRUPT);

        assertThat(store.lengths(LOG)).isEmpty();
    }

    @Test
    void lengthsAreThoseOfSealedSegments() throws Exception {
        SegmentName second = new SegmentName(LOG, 7, 2);
        SegmentWriter writer = store.create(SEGMENT);
        writer.append(bytes("abc")).join();
        writer.seal();
        store.saveIndex(SEGMENT, new byte[] {1});
        store.create(second).append(bytes("de")).join();

        assertThat(store.lengths(LOG))
                .containsEntry(SEGMENT, 3L)
                .containsKey(second)
                .hasSize(2);
    }

    @Test
    void segmentIsMadeOnce() throws Exception {
        store.create(SEGMENT);

        assertReason(() -> store.create(SEGMENT), Reason.FENCED);
    }

    @Test
    void truncateCutsAndTheNextRunAgrees() throws Exception {
        SegmentWriter writer = store.create(SEGMENT);
        writer.append(bytes("abcdef")).join();
        store.recover(SEGMENT);

        store.truncate(SEGMENT, 2);
        store.close();
        store = open();

        assertThat(store.recover(SEGMENT)).isEqualTo(2);
        assertThat(read(0, 100)).isEqualTo("ab");
    }

    @Test
    void nextRunReadsWhatWasAppended() throws Exception {
        store.create(SEGMENT).append(bytes("abc")).join();
        store.close();
        store = open();

        assertThat(store.recover(SEGMENT)).isEqualTo(3);
        assertThat(read(0, 100)).isEqualTo("abc");
    }

    @Test
    void listsAndDeletes() throws Exception {
        SegmentName second = new SegmentName(LOG, 7, 2);
        store.create(SEGMENT);
        store.create(second);
        assertThat(store.list(LOG)).containsExactlyInAnyOrder(SEGMENT, second);

        store.delete(SEGMENT);
        store.delete(SEGMENT);
        assertThat(store.list(LOG)).containsExactly(second);
        assertReason(() -> read(0, 1), Reason.CORRUPT);

        store.deleteLog(LOG);
        store.deleteLog(LOG);
        assertThat(store.list(LOG)).isEmpty();
    }

    @Test
    void indexIsKeptReplacedAndDeletedWithItsSegment() throws Exception {
        store.create(SEGMENT).seal();
        assertThat(store.loadIndex(SEGMENT)).isEmpty();

        store.saveIndex(SEGMENT, new byte[] {1});
        store.saveIndex(SEGMENT, new byte[] {2, 3});
        assertThat(store.loadIndex(SEGMENT)).contains(new byte[] {2, 3});

        store.delete(SEGMENT);
        assertThat(store.loadIndex(SEGMENT)).isEmpty();
    }

    @Test
    void writerThatWasClosedLeavesASegmentToRecover() throws Exception {
        SegmentWriter writer = store.create(SEGMENT);
        CompletableFuture<Void> append = writer.append(bytes("abc"));

        writer.close();
        writer.close();

        assertThat(store.recover(SEGMENT)).isEqualTo(3);
        assertThat(append).isCompleted();
        assertThat(read(0, 100)).isEqualTo("abc");
    }

    @Test
    void closedStoreIsUnavailable() throws Exception {
        SegmentWriter writer = store.create(SEGMENT);
        store.close();
        store.close();

        assertFails(writer.append(bytes("a")), Reason.UNAVAILABLE);
        assertReason(() -> read(0, 1), Reason.UNAVAILABLE);
        assertReason(() -> store.create(new SegmentName(LOG, 1, 1)), Reason.UNAVAILABLE);
        assertReason(() -> store.recover(SEGMENT), Reason.UNAVAILABLE);
    }
}
