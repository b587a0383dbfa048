// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchRingTest {
    private final BatchRing ring = new BatchRing();
    private final List<String> taken = new ArrayList<>();
    private final BatchRecorder taker = new BatchRecorder() {
        @Override
        public void started(long waitedNanos) {
            if (waitedNanos == 3) {
                throw new IllegalStateException("no room for a 3, on purpose");
            }
            taken.add("waited " + waitedNanos);
        }

        @Override
        public void ran(int tasks, long nanos) {
            taken.add("ran " + tasks + " in " + nanos);
        }
    };

    @Test
    void valuesAreTakenOnceAndInTheirOrder() {
        assertThat(ring.started(1)).isEqualTo(1);
        assertThat(ring.started(0)).isEqualTo(2);
        assertThat(ring.ran(2, 0)).isEqualTo(4);
        ring.takeTo(taker);
        ring.takeTo(taker);
        assertThat(ring.started(5)).isEqualTo(1);
        ring.takeTo(taker);

        assertThat(taken).containsExactly("waited 1", "waited 0", "ran 2 in 0", "waited 5");
    }

    /** If nobody could take them, for want of memory. */
    @Test
    void aFullRingKeepsWhatItHasAndTakesNoMore() {
        for (int i = 0; i < BatchRing.ROOM - 2; i++) {
            assertThat(BatchRing.isFull(ring.started(7))).isFalse();
        }
        assertThat(BatchRing.isFull(ring.ran(1, 7))).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(BatchRing.isFull(ring.ran(2, 8))).isTrue();
            assertThat(BatchRing.isFull(ring.started(9))).isTrue();
        }
        ring.takeTo(taker);

        assertThat(taken).hasSize(BatchRing.ROOM - 1).endsWith("waited 7", "ran 1 in 7");
    }

    @Test
    void whatCouldNotBeRecordedIsLeftOut() {
        var unused = List.of(ring.started(1), ring.started(3), ring.ran(2, 4));
        assertThatThrownBy(() -> ring.takeTo(taker)).hasMessageContaining("on purpose");
        assertThat(taken).containsExactly("waited 1");

        ring.takeTo(taker);
        assertThat(taken).containsExactly("waited 1", "ran 2 in 4");
    }
}
