// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.search.SearchSource.Range;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.message.Fetched;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageBlock;

/** The reads that search a partition backwards, without threads and storage. */
@Timeout(60)
class BackwardCursorTest {
    private final CountedLog log = new CountedLog(3);
    private final List<Long> searched = new ArrayList<>();

    private static BackwardCursor cursor(long from, long to) {
        return new BackwardCursor(new Range(new PartitionName("orders", 3), from, to));
    }

    private BackwardCursor wholeLog() {
        return cursor(0, log.end());
    }

    /** Searches a slice as the walk does. */
    private void step(BackwardCursor cursor) {
        Fetched found;
        try {
            found = log.read(cursor.nextRead());
        } catch (TalosException e) {
            if (!cursor.continuesAfter(e)) {
                throw e;
            }
            return;
        }
        List<MessageBlock> blocks = cursor.take(found);
        for (MessageBlock each : blocks) {
            long behind = each.getStartMessageOffset() + each.getMessageNumber();
            long first = Math.max(cursor.oldest(), each.getStartMessageOffset());
            for (long offset = Math.min(cursor.before(), behind) - 1; offset >= first; offset--) {
                searched.add(offset);
                cursor.moveTo(offset);
            }
        }
        if (!blocks.isEmpty()) {
            cursor.finishRead();
        }
    }

    private void search(BackwardCursor cursor) {
        while (!cursor.isDone()) {
            step(cursor);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 10", "1, 100000", "100, 10000", "1, 1000000", "7000, 300", "64, 6400", "5000, 400000"})
    void everyMessageIsSearchedOnceTheNewestFirst(int messages, int bytes) {
        log.append(100, messages, bytes);

        search(wholeLog());

        assertThat(searched).isEqualTo(log.newestFirst(0, log.end()));
        assertThat(log.readBytes()).isLessThanOrEqualTo(2 * log.storedBytes());
    }

    @ParameterizedTest
    @CsvSource({"10000, 100, 10000", "1000000, 1, 100"})
    void searchOfAMillionMessagesReadsAboutTheBytesThatTheyHave(int blocks, int messages, int bytes) {
        log.append(blocks, messages, bytes);

        search(wholeLog());

        assertThat(searched).hasSize(1_000_000);
        assertThat(log.reads()).isLessThan(600); // of 382 slices that are full
        assertThat(log.readBytes()).isLessThan(log.storedBytes() * 11 / 10);
    }

    @Test
    void newestOfAMillionMessagesTakeOneSmallRead() {
        log.append(10_000, 100, 10_000);
        BackwardCursor cursor = wholeLog();

        step(cursor);

        assertThat(searched).startsWith(999_999L, 999_998L).hasSize(100);
        assertThat(log.reads()).isEqualTo(1);
        assertThat(log.readBytes()).isEqualTo(10_000);
    }

    @Test
    void largeMessagesAmongSmallOnesAreReadTwiceAtMost() {
        for (int i = 0; i < 20; i++) {
            log.append(1_000, 1, 50).append(1, 1, 10 << 20);
        }

        search(wholeLog());

        assertThat(searched).isEqualTo(log.newestFirst(0, log.end()));
        assertThat(log.readBytes()).isLessThanOrEqualTo(2 * log.storedBytes());
    }

    @ParameterizedTest
    @CsvSource({"0, 1000", "150, 850", "100, 900", "199, 200", "200, 201", "299, 301", "0, 1", "999, 1000"})
    void rangeMayBeginAndEndInsideBlocksAndAtTheirBounds(long from, long to) {
        log.append(10, 100, 5_000);

        search(cursor(from, to));

        assertThat(searched).isEqualTo(log.newestFirst(from, to));
    }

    @Test
    void searchContinuesFromAnyPositionWithoutLossOrRepetition() {
        log.append(10, 7, 100);
        for (long before = log.end(); before > 0; ) {
            BackwardCursor page = cursor(0, before);
            int size = searched.size();
            while (!page.isDone() && searched.size() < size + 5) {
                step(page);
            }
            while (searched.size() > size + 5) {
                searched.remove(searched.size() - 1);
            }
            before = searched.get(searched.size() - 1);
        }

        assertThat(searched).isEqualTo(log.newestFirst(0, log.end()));
    }

    @Test
    void searchEndsWhereRetentionHasMovedTheStartMeanwhile() {
        log.append(1_000, 10, 10_000);
        BackwardCursor cursor = wholeLog();
        step(cursor);

        log.expire(9_000);
        search(cursor);

        assertThat(searched).isEqualTo(log.newestFirst(9_000, log.end()));
    }

    @Test
    void searchEndsWhereRetentionHasTakenAllThatWasLeft() {
        log.append(1_000, 10, 10_000);
        BackwardCursor cursor = wholeLog();
        step(cursor);
        int before = searched.size();

        log.expire(9_990);
        search(cursor);

        assertThat(searched).hasSize(before);
    }

    @Test
    void searchContinuesInWhatAPowerFailureHasLeft() {
        log.append(1_000, 10, 10_000);
        BackwardCursor cursor = wholeLog();

        log.shorten(500);
        search(cursor);

        assertThat(searched).isEqualTo(log.newestFirst(0, 500));
    }

    @Test
    void positionIsNeverBehindTheEndThatAPowerFailureHasLeft() {
        log.append(1_000, 10, 10_000);
        BackwardCursor cursor = cursor(1_000, log.end());

        log.shorten(1_500);
        step(cursor); // there is no such offset any more
        step(cursor); // and the oldest messages are not in the range

        assertThat(cursor.before()).isEqualTo(1_500);
        search(cursor);
        assertThat(searched).isEqualTo(log.newestFirst(1_000, 1_500));
    }

    @Test
    void missingOffsetsArePassedInFewReads() {
        log.append(10, 10, 1_000).skip(1_000_000).append(10, 10, 1_000);

        search(wholeLog());

        assertThat(searched).isEqualTo(log.newestFirst(0, log.end()));
        assertThat(log.reads()).isLessThan(40);
    }

    @Test
    void damagedMessagesFailTheSearchOnceAllNewerOnesAreSearched() {
        log.append(300, 10, 10_000);
        log.damage(1_000);
        BackwardCursor cursor = wholeLog();

        assertThatThrownBy(() -> search(cursor))
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HDFS_OPERATION_FAILED));

        assertThat(searched).isEqualTo(log.newestFirst(1_010, log.end()));
    }
}
