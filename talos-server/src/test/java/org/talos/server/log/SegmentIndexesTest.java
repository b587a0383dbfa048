// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.put;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.talos.server.log.index.SegmentIndexes;

class SegmentIndexesTest {
    private static final int PUTS = 2_000;
    private static final int LIMIT_BYTES = 16 << 10;
    private static final String FILLING = "x".repeat(600);

    private final LogFixture fixture = new LogFixture();

    private List<String> fill(PartitionLog log) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < PUTS; i++) {
            texts.add(i + FILLING);
            append(log, put(i + FILLING));
            fixture.settle();
        }
        return texts;
    }

    @Test
    void whatIsKeptDoesNotGrowWithWhatIsRetained() throws Exception {
        fixture.tailCacheBytes = 0;
        fixture.indexes = new SegmentIndexes(LIMIT_BYTES);
        PartitionLog log = fixture.open();

        List<String> texts = fill(log);

        assertThat(fixture.catalog.segments()).hasSizeGreaterThan(15);
        assertThat(fixture.indexes.used()).isPositive().isLessThanOrEqualTo(LIMIT_BYTES);
        assertThat(LogFixture.texts(log, 0)).isEqualTo(texts);
        assertThat(log.read(PUTS / 2, new BlockLimits(1, 1)).blocks().get(0).baseOffset())
                .isEqualTo(PUTS / 2);
        assertThat(fixture.indexes.used()).isLessThanOrEqualTo(LIMIT_BYTES);
    }

    @Test
    void indexThatIsNotSavedYetIsNeverForgotten() throws Exception {
        fixture.tailCacheBytes = 0;
        fixture.indexes = new SegmentIndexes(0);
        fixture.segmentBytes = 100L * PUTS * FILLING.length();
        PartitionLog log = fixture.open();
        fill(log);
        long before = fixture.store.bytesRead().getOrDefault(fixture.catalog.last(), 0L);

        log.read(PUTS - 1, new BlockLimits(1, 1));

        long read = fixture.store.bytesRead().getOrDefault(fixture.catalog.last(), 0L) - before;
        assertThat(read).isPositive().isLessThan(PUTS * (long) FILLING.length() / 4);
    }

    @Test
    void expiredSegmentsLeaveNothing() throws Exception {
        PartitionLog log = fixture.open();
        fill(log);
        fixture.millis += 1_000_000;
        fixture.retain(log, 1, 0);
        fixture.settle();
        fixture.retain(log, 1, 0);

        assertThat(fixture.catalog.segments()).isEmpty();
        assertThat(fixture.indexes.used()).isZero();
    }
}
