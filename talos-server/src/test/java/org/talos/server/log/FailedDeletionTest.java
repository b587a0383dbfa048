// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.large;
import static org.talos.server.log.LogFixture.put;
import static org.talos.server.log.LogFixture.texts;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.testing.GatedSegmentStore;

/** The store cannot delete files for a while. */
class FailedDeletionTest {
    private final LogFixture fixture = new LogFixture();
    private final GatedSegmentStore store = new GatedSegmentStore(fixture.store);

    FailedDeletionTest() {
        fixture.opened = store;
    }

    private PartitionLog threeSegments() throws Exception {
        PartitionLog log = fixture.open();
        for (String each : List.of("a", "b", "c")) {
            append(log, large(each));
        }
        append(log, put("newest"));
        fixture.settle();
        fixture.millis += 2_000;
        return log;
    }

    @Test
    void expiredSegmentsAreDeletedByTheFirstRoundThatCan() throws Exception {
        PartitionLog log = threeSegments();
        store.refuseDeletions(true);
        fixture.retain(log, 1_000, 0);
        fixture.retain(log, 1_000, 0);
        assertThat(log.startOffset()).isEqualTo(3); // one that cannot be deleted does not keep the others
        assertThat(fixture.store.list(LogFixture.ID)).hasSize(4);

        store.refuseDeletions(false);
        fixture.retain(log, 1_000, 0);

        assertThat(fixture.store.list(LogFixture.ID)).containsExactly(fixture.catalog.last());
    }

    @Test
    void partitionOpensThoughFilesThatNoRowNamesCannotBeDeleted() throws Exception {
        PartitionLog log = threeSegments();
        store.refuseDeletions(true);
        fixture.retain(log, 1_000, 0);

        PartitionLog opened = fixture.open();

        assertThat(texts(opened, 3)).containsExactly("newest");
        store.refuseDeletions(false);
        fixture.retain(opened, 1_000_000, 0);
        assertThat(fixture.store.list(LogFixture.ID)).containsExactly(fixture.catalog.last());
    }

    @Test
    void segmentThatNeverHeldAMessageIsDeletedOnceThatIsPossible() throws Exception {
        SegmentName empty = new SegmentName(LogFixture.ID, 0, 1);
        fixture.store.create(empty, SegmentOptions.DEFAULT).close();
        fixture.catalog.has(empty);
        store.refuseDeletions(true);
        PartitionLog log = fixture.open();
        append(log, put("a"));

        store.refuseDeletions(false);
        fixture.retain(log, 1_000, 0);

        assertThat(fixture.store.list(LogFixture.ID)).containsExactly(fixture.catalog.last());
        assertThat(texts(log, 0)).containsExactly("a");
    }
}
