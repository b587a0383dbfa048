// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.argument;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.cli.argument.Position.Place;

class PositionConverterTest {
    private final PositionConverter converter = new PositionConverter(
            InstantSource.fixed(Instant.parse("2026-01-31T12:00:00Z")), ZoneId.of("Asia/Shanghai"));

    @ParameterizedTest
    @CsvSource({
        "1h, 2026-01-31T11:00:00Z",
        "2d, 2026-01-29T12:00:00Z",
        "yesterday, 2026-01-29T16:00:00Z",
        "2026-01-31, 2026-01-30T16:00:00Z",
        "2026-01-31T08:00, 2026-01-31T00:00:00Z",
        "2026-01-31T08:00:00Z, 2026-01-31T08:00:00Z",
        "@1769860800000, 2026-01-31T12:00:00Z",
    })
    void timeIsReadAsPeopleWriteItInTheirZone(String text, String time) {
        assertThat(converter.convert(text).time()).isEqualTo(time);
        assertThat(converter.convert(text).isTime()).isTrue();
    }

    @Test
    void plainNumberIsAnOffsetHoweverLarge() {
        assertThat(converter.convert("1769860800000")).isEqualTo(new Position(Place.OFFSET, 1_769_860_800_000L));
        assertThat(converter.convert("earliest")).isEqualTo(Position.EARLIEST);
        assertThat(converter.convert("latest").place()).isEqualTo(Place.LATEST);
        assertThat(converter.convert("last").place()).isEqualTo(Place.LAST);
    }

    @Test
    void whatIsNeitherIsRefusedWithTheForms() {
        assertThatThrownBy(() -> converter.convert("tomorrow"))
                .hasMessageContaining("yesterday")
                .hasMessageContaining("1h");
    }
}
