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

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.storage.SegmentName;
import org.talos.thrift.ErrorCode;

/** Messages that a user deletes. */
class DeletionTest {
    private final LogFixture fixture = new LogFixture();

    private static Deletion before(long offset) {
        return new Deletion(offset, false);
    }

    @Test
    void messagesBeforeAnOffsetGoWithTheirWholeSegmentsAndTheOthersStay() throws Exception {
        PartitionLog log = fixture.open();
        append(log, large("a"));
        append(log, put("b"));
        append(log, put("c"));
        fixture.settle();

        Deletion.Result deleted = log.delete(before(2));

        assertThat(deleted.from()).isZero();
        assertThat(deleted.to()).isEqualTo(2);
        assertThat(deleted.messages()).isEqualTo(2);
        assertThat(deleted.bytes()).isGreaterThan(64 << 10);
        assertThat(log.startOffset()).isEqualTo(2);
        assertThat(texts(log, 2)).containsExactly("c");
        assertThatThrownBy(() -> log.read(1, ALL))
                .hasMessageContaining("offset 1 is not in the partition: it has 2 to 2");
        assertThat(log.offsetAtTime(0)).isEqualTo(2);
        assertThat(fixture.store.list(LogFixture.ID)).containsExactly(fixture.catalog.last());
    }

    @Test
    void nextOwnerBeginsThereToo() throws Exception {
        fixture.tailCacheBytes = 0;
        PartitionLog log = fixture.open();
        append(log, put("a"));
        append(log, put("b"));
        append(log, put("c"));
        log.delete(before(2));

        PartitionLog next = fixture.open();

        assertThat(next.startOffset()).isEqualTo(2);
        assertThat(next.durableEnd()).isEqualTo(3);
        assertThat(texts(next, 2)).containsExactly("c");
        assertThatThrownBy(() -> next.read(1, ALL)).hasMessageContaining("it has 2 to 2");
        assertThat(append(next, put("d")).firstOffset()).isCompletedWithValue(3L);
    }

    /** An operator has accepted a loss: the log ends before messages that were deleted. */
    @Test
    void logThatHasLostDeletedMessagesContinuesBehindThem() throws Exception {
        fixture.tailCacheBytes = 0;
        PartitionLog log = fixture.open();
        append(log, put("a"));
        SegmentName name = fixture.catalog.last();
        int whole = fixture.store.bytes(name).length;
        append(log, put("b"));
        append(log, put("c"));
        log.delete(before(2));
        fixture.store.replace(name, Arrays.copyOf(fixture.store.bytes(name), whole));

        PartitionLog shorter = fixture.open();

        assertThat(append(shorter, put("d")).firstOffset()).isCompletedWithValue(2L);
        assertThat(append(shorter, put("e")).firstOffset()).isCompletedWithValue(3L);
        PartitionLog next = fixture.open();
        assertThat(next.startOffset()).isEqualTo(2);
        assertThat(texts(next, 2)).containsExactly("d", "e");
        assertThat(append(next, put("f")).firstOffset()).isCompletedWithValue(4L);
    }

    @Test
    void logThatHasLostAllItsSegmentsContinuesBehindDeletedMessages() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        append(log, put("b"));
        SegmentName name = fixture.catalog.last();
        log.delete(before(1));
        fixture.store.replace(name, new byte[0]);

        PartitionLog empty = fixture.open();

        assertThat(append(empty, put("c")).firstOffset()).isCompletedWithValue(1L);
        assertThat(texts(fixture.open(), 1)).containsExactly("c");
    }

    @Test
    void startMayBeWithinABlock() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("p#1", block(5, "abcde")));

        assertThat(log.delete(before(3)).messages()).isEqualTo(3);

        assertThat(log.startOffset()).isEqualTo(3);
        assertThat(log.read(3, ALL).startOffset()).isEqualTo(3);
        assertThatThrownBy(() -> log.read(2, ALL)).hasMessageContaining("it has 3 to 4");
    }

    @Test
    void emptyLogKeepsItsNextOffsetAndNoFile() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        append(log, put("b"));

        assertThat(log.delete(before(Deletion.ALL)).messages()).isEqualTo(2);
        assertThat(log.startOffset()).isEqualTo(2);
        assertThat(log.read(2, ALL).blocks()).isEmpty();
        fixture.settle();
        fixture.retain(log, Long.MAX_VALUE, 0);

        assertThat(fixture.store.list(LogFixture.ID)).isEmpty();
        assertThat(append(fixture.open(), put("c")).firstOffset()).isCompletedWithValue(2L);
    }

    @Test
    void previewDeletesNothing() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        append(log, put("b"));

        Deletion.Result preview = log.delete(new Deletion(Deletion.ALL, true));

        assertThat(preview.messages()).isEqualTo(2);
        assertThat(preview.bytes()).isEqualTo(log.bytes());
        assertThat(texts(log, 0)).containsExactly("a", "b");
        assertThat(log.delete(before(Deletion.ALL))).isEqualTo(preview);
    }

    @Test
    void whatIsDeletedAlreadyChangesNothing() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        append(log, put("b"));
        log.delete(before(2));

        assertThat(log.delete(before(1))).isEqualTo(new Deletion.Result(2, 2, 0, 0));
        assertThat(log.startOffset()).isEqualTo(2);
    }

    @Test
    void repeatedPutOfWhichTheFirstMessagesAreDeletedIsNotStoredTwice() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("p#1", block(2, "ab"), block(2, "cd")));
        log.delete(before(3));

        assertThat(append(log, put("p#1", block(2, "ab"), block(2, "cd"))).firstOffset())
                .isCompletedWithValue(0L);
        assertThat(log.durableEnd()).isEqualTo(4);
    }

    @Test
    void offsetBehindTheEndIsRefused() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));

        assertThatThrownBy(() -> log.delete(before(2)))
                .isInstanceOfSatisfying(
                        TalosException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE));
        assertThat(texts(log, 0)).containsExactly("a");
    }

    @Test
    void formerOwnerDeletesNothing() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        fixture.catalog.takeOver();

        assertThatThrownBy(() -> log.delete(before(1))).isInstanceOfSatisfying(TalosException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.PARTITION_NOT_SERVING);
            assertThat(e.effect()).isEqualTo(Effect.NONE);
        });
        assertThat(texts(log, 0)).containsExactly("a");
        assertThat(fixture.failures).isEqualTo(1); // it is to be opened again, or lost
    }

    @Test
    void deletionWhoseAnswerIsLostMayHaveHappened() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        append(log, put("b"));
        fixture.catalog.failAfter(0, true);

        assertThatThrownBy(() -> log.delete(before(1)))
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.effect()).isEqualTo(Effect.UNKNOWN));

        fixture.catalog.heal();
        assertThat(fixture.open().startOffset()).isEqualTo(1);
    }
}
