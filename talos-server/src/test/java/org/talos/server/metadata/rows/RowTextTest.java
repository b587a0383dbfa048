// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.metadata.rows.group.CommittedOffset;

class RowTextTest {
    private final RecordCodec<CommittedOffset> codec = new RecordCodec<>(CommittedOffset.class, RowFormat.FIRST);

    private int written(String text) {
        int others = codec.encode(new CommittedOffset(1, "", 1)).length;
        return codec.encode(new CommittedOffset(1, text, 1)).length - others;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10_189_32_151-dep-172163819113877e88b3d",
                "a\"b\\c",
                "\u0001\u001f",
                "\u007f",
                "\u00e4",
                "\u8a9e",
                ""
            })
    void bytesAreThoseOfTheRow(String text) {
        assertThat(RowText.bytes(text)).isEqualTo(written(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n\t", "\ud83d\ude00"})
    void rowTakesNoMoreWhereItsCodecHasAShorterForm(String text) {
        assertThat(RowText.bytes(text)).isGreaterThanOrEqualTo(written(text));
    }

    @Test
    void textOfControlCharactersTakesSixTimesItsLength() {
        assertThat(RowText.bytes("\u0001".repeat(256))).isEqualTo(1_536);
    }
}
