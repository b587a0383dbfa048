// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PointTableTest {
    private final PointTable table = new PointTable(List.of("a", "b"));

    private double[] a() {
        return table.read(List.of("a"), 0).figures().getOrDefault("a", new double[0]);
    }

    @Test
    void tableWithoutPointsIsEmpty() {
        History nothing = table.read(List.of("b"), 17);

        assertThat(nothing.endMillis()).isEqualTo(17);
        assertThat(nothing.figures().get("b")).isEmpty();
    }

    @Test
    void pointsComeBackOldestFirst() {
        table.add(100, 1_000, 1, 2);
        table.add(101, 6_000, 3, 4);

        History both = table.read(List.of("b", "a"), 0);

        assertThat(both.figures().get("a")).containsExactly(1, 3);
        assertThat(both.figures().get("b")).containsExactly(2, 4);
        assertThat(both.endMillis()).isEqualTo(6_000);
        assertThat(both.step()).hasSeconds(5);
    }

    @Test
    void stepsThatWereMissedAreNotKnown() {
        table.add(100, 1_000, 1, 2);
        table.add(103, 16_000, 3, 4);

        assertThat(a()).containsExactly(1, Double.NaN, Double.NaN, 3);
    }

    @Test
    void pointOfAStepThatIsThereStays() {
        table.add(100, 1_000, 1, 2);
        table.add(100, 2_000, 9, 9);
        table.add(99, 2_000, 9, 9);

        assertThat(a()).containsExactly(1);
    }

    @Test
    void hourIsKeptAndNoMore() {
        for (int i = 0; i < 2_000; i++) {
            table.add(i, i, i, 0);
        }

        assertThat(a()).hasSize(PointTable.POINTS);
        assertThat(a()[0]).isEqualTo(2_000 - PointTable.POINTS);
        assertThat(a()[PointTable.POINTS - 1]).isEqualTo(1_999);
    }

    @Test
    void afterALongSleepNothingOfBeforeIsLeft() {
        for (int i = 0; i < PointTable.POINTS; i++) {
            table.add(i, i, i, 0);
        }

        table.add(1_000_000, 1, 7, 7);

        assertThat(a()).hasSize(PointTable.POINTS).endsWith(7);
        assertThat(a()[PointTable.POINTS - 2]).isNaN();
        assertThat(a()[0]).isNaN();
    }
}
