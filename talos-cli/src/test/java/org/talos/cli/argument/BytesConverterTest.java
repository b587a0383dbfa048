// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.argument;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BytesConverterTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "17, 17", "64MiB, 67108864", "10GB, 10000000000", "10 kb, 10000", "1TiB, 1099511627776"})
    void sizeIsReadWithItsUnit(String text, long bytes) {
        assertThat(new BytesConverter().convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5GB", "GB", "1XB", "1Gi", "9999999999TB"})
    void whatIsNoSizeIsRefused(String text) {
        assertThatThrownBy(() -> new BytesConverter().convert(text)).hasMessageContaining("'" + text + "'");
    }
}
