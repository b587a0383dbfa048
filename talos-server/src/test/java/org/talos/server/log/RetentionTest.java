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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.talos.server.log.time.Retention;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.testing.MemorySegmentStore;

class RetentionTest {
    private final LogFixture fixture = new LogFixture();

    @Test
    void retentionByAgeTakesWholeSegmentsAndKeepsWhatIsNotOldEnough() throws Exception {
        PartitionLog log = fixture.open();
        append(log, large("old"));
        append(log, large("new"));
        append(log, put("newest"));
        fixture.settle();
        fixture.millis += 1000;
        fixture.retain(log, 1000, 0);
        assertThat(log.startOffset()).isZero();

        fixture.millis += 1;
        fixture.retain(log, 1000, 0);

        assertThat(log.startOffset()).isEqualTo(2); // both are sealed; the active one stays
        assertThat(fixture.store.list(LogFixture.ID)).containsExactly(fixture.catalog.last());
        assertThat(texts(log, 2)).containsExactly("newest");
        assertThatThrownBy(() -> log.read(1, ALL))
                .hasMessageContaining("offset 1 is not in the partition: it has 2 to 2");
    }

    @Test
    void everythingExpiredLeavesTheNextOffset() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("p#1", block(5, "a")));
        fixture.millis += 3_600_000;
        fixture.retain(log, 1000, 0); // too old to continue with
        fixture.settle();
        fixture.retain(log, 1000, 0);

        assertThat(log.startOffset()).isEqualTo(5);
        assertThat(log.durableEnd()).isEqualTo(5);
        assertThat(log.read(5, ALL).blocks()).isEmpty();
        assertThat(append(fixture.open(), put("b")).firstOffset()).isCompletedWithValue(5L);
    }

    @Test
    void logThatIsSparedLosesNothingByAge() throws Exception {
        PartitionLog log = fixture.open();
        for (String each : List.of("a", "b", "c")) {
            append(log, large(each));
        }
        fixture.settle();
        fixture.millis += 2000;

        assertThat(log.retain(new Retention(fixture.millis, 1000, 0, true)).spared())
                .isTrue();
        assertThat(log.startOffset()).isZero();

        assertThat(log.retain(new Retention(fixture.millis, 1000, 70_000, true)).spared())
                .isTrue();
        assertThat(log.startOffset()).isEqualTo(1); // the disk is not to be filled

        append(log, put("new"));
        fixture.settle();
        assertThat(log.retain(new Retention(fixture.millis, 1000, 0, true)).spared())
                .isFalse();
        assertThat(log.startOffset()).isEqualTo(3);
    }

    @Test
    void retentionBySizeKeepsTheNewest() throws Exception {
        PartitionLog log = fixture.open();
        for (String each : List.of("a", "b", "c", "d")) {
            append(log, large(each));
        }
        fixture.settle();

        fixture.retain(log, Long.MAX_VALUE, 70_000);

        assertThat(log.startOffset()).isEqualTo(2);
    }

    @Test
    void timeIsFoundThoughItsSearchBeganInASegmentThatExpired() throws Exception {
        fixture.tailCacheBytes = 0;
        PartitionLog log = fixture.open();
        for (String each : List.of("a", "b", "c")) {
            append(log, large(each));
        }
        append(log, put("new"));
        fixture.settle();
        fixture.millis += 2000;
        MemorySegmentStore.Gate gate = new MemorySegmentStore.Gate();
        fixture.store.gateReads(gate);
        CompletableFuture<Long> found = CompletableFuture.supplyAsync(() -> log.offsetAtTime(0));
        gate.awaitCaller();

        fixture.retain(log, 1000, 0);
        assertThat(log.startOffset()).isEqualTo(3);
        gate.open();

        assertThat(found.get(20, TimeUnit.SECONDS)).isEqualTo(3);
    }

    @Test
    void segmentThatHeldNothingExpiresWithoutTheOneAfterIt() throws Exception {
        SegmentName empty = new SegmentName(LogFixture.ID, 0, 1);
        fixture.store.create(empty, SegmentOptions.DEFAULT).close();
        fixture.catalog.has(SegmentCatalog.Known.sealed(empty, 0, 0, 0));
        fixture.tailCacheBytes = 0;
        PartitionLog log = fixture.open();
        append(log, put("a"));

        fixture.retain(log, 1000, 0);

        assertThat(fixture.store.list(LogFixture.ID)).containsExactly(fixture.catalog.last());
        assertThat(texts(log, 0)).containsExactly("a");
    }
}
