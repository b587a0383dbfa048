// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.argument;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationConverterTest {
    private final DurationConverter converter = new DurationConverter();

    @ParameterizedTest
    @CsvSource({"3600, 3600", "90s, 90", "90m, 5400", "12h, 43200", "7d, 604800", "2w, 1209600", "1d12h, 129600"})
    void durationHasTheUnitsOfATimeAgo(String text, int seconds) {
        assertThat(converter.convert(text)).isEqualTo(seconds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1y", "-5", "1.5h", "h"})
    void otherTextsAreRefusedWithExamples(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "' is not a duration (expected: seconds like 3600, or 90m");
    }

    @ParameterizedTest
    @ValueSource(strings = {"9999w", "999999d"})
    void durationOfCenturiesIsRefused(String text) {
        assertThatThrownBy(() -> converter.convert(text)).hasMessageContaining("is too long");
    }
}
