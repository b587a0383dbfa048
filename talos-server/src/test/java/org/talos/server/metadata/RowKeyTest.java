// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class RowKeyTest {
    private static final RowKey TABLE = RowKey.table('t');

    @Test
    void bytesAreAsDocumented() {
        RowKey key = TABLE.and("ab").and(7);

        assertThat(HexFormat.of().formatHex(key.bytes())).isEqualTo("74000261620004" + "00000007");
        assertThat(key).hasToString("t/ab/%00%00%00%07");
    }

    @Test
    void partsComeBack() {
        RowKey key = RowKey.parse(TABLE.and("größe").and(1_000_000).and("").bytes());

        assertThat(key.text(0)).isEqualTo("größe");
        assertThat(key.number(1)).isEqualTo(1_000_000);
        assertThat(key.text(2)).isEmpty();
        assertThatThrownBy(() -> key.text(3)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void partsDoNotReachIntoTheirNeighbors() {
        assertThat(TABLE.and("a").and("b")).isNotEqualTo(TABLE.and("ab").and(""));
        assertThat(TABLE.and("a\0\1b")).isNotEqualTo(TABLE.and("a").and("b"));
        assertThat(TABLE.and("ab").startsWith(TABLE.and("a"))).isFalse();
        assertThat(TABLE.and("a").and("b").startsWith(TABLE.and("a"))).isTrue();
        assertThat(TABLE.startsWith(TABLE.and("a"))).isFalse();
    }

    @Test
    void numbersAreOrderedAsNumbers() {
        assertThat(TABLE.and(255)).isLessThan(TABLE.and(256));
        assertThat(TABLE.and(0)).isLessThan(TABLE.and(Integer.MAX_VALUE));
        assertThatThrownBy(() -> TABLE.and(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void cutOrForeignBytesAreNoKey() {
        for (String hex : new String[] {"", "00", "7400", "740002", "74000261", "740001616200"}) {
            assertThatThrownBy(() -> RowKey.parse(HexFormat.of().parseHex(hex)))
                    .as(hex)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void tooLongAPartIsRefused() {
        assertThat(TABLE.and("x".repeat(65_535)).text(0)).hasSize(65_535);
        assertThatThrownBy(() -> TABLE.and("x".repeat(65_536))).isInstanceOf(IllegalArgumentException.class);
    }
}
