// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1.00 KiB",
        "10234, 9.99 KiB",
        "10240, 10.0 KiB",
        "102348, 99.9 KiB",
        "1048575, 1.00 MiB",
        "10000000000, 9.31 GiB",
        "9223372036854775807, 8.00 EiB",
    })
    void bytesHaveThreeDigitsAndAUnit(long bytes, String text) {
        assertThat(Units.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "9999, 9999", "10000, 10.0k", "123456, 123k", "999999, 1.00M", "45600000, 45.6M"})
    void countsAreExactAsLongAsTheyAreShort(long count, String text) {
        assertThat(Units.count(count)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0.25, 0.25", "9.996, 10.0", "999.4, 999", "12345, 12.3k"})
    void ratesHaveThreeDigits(double rate, String text) {
        assertThat(Units.rate(rate)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0s", "59, 59s", "3600, 1h", "86400, 1d", "90061, 1d 1h 1m 1s", "31536000, 365d"})
    void secondsAreExact(long seconds, String text) {
        assertThat(Units.seconds(seconds)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0:00", "65, 1:05", "3723, 1:02:03"})
    void timeThatPassesIsAsOnAClock(long seconds, String text) {
        assertThat(Units.clock(Duration.ofSeconds(seconds))).isEqualTo(text);
    }
}
