// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;

final class StoredRowTest {
    /** The one of docs/formats/metadata.md. */
    private static final String DOCUMENTED = "3179fcad000000030000000000000007017b7d";

    @Test
    void cellIsAsDocumented() throws Exception {
        StoredRow row = StoredRow.row(0x3179fcad00000003L, 7, new byte[] {'{', '}'});

        assertThat(HexFormat.of().formatHex(row.encode())).isEqualTo(DOCUMENTED);
        StoredRow read = StoredRow.decode(HexFormat.of().parseHex(DOCUMENTED));
        assertThat(read.version()).isEqualTo(row.version());
        assertThat(read.previous()).isEqualTo(7);
        assertThat(read.isRow()).isTrue();
        assertThat(read.value()).containsExactly('{', '}');
    }

    @Test
    void markIsNoRow() throws Exception {
        assertThat(StoredRow.decode(StoredRow.mark(2, 1).encode()).isRow()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", // nothing
                "0000000000000001000000000000000", // cut
                "0000000000000000000000000000000001", // version 0
                "000000000000000100000000000000000f" // no such kind
            })
    void damagedCellIsCorrupt(String hex) {
        byte[] cell = HexFormat.of().parseHex(hex.length() % 2 == 0 ? hex : hex + "0");

        assertThatThrownBy(() -> StoredRow.decode(cell))
                .isInstanceOfSatisfying(
                        MetadataException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT));
    }
}
