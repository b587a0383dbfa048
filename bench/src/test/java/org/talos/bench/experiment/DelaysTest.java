// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DelaysTest {
    @Test
    void quantilesHaveStraightLinesBetweenThem() throws Exception {
        Delays delays = Delays.of(List.of("# of a test", "quantile,micros", "0,100", "0.5,200", "1,1000"), "test");

        assertThat(delays.nanosAt(0)).isEqualTo(100_000);
        assertThat(delays.nanosAt(0.25)).isEqualTo(150_000);
        assertThat(delays.nanosAt(0.75)).isEqualTo(600_000);
        assertThat(delays.nanosAt(1)).isEqualTo(1_000_000);
        assertThat(delays.meanMillis()).isEqualTo((150 * 0.5 + 600 * 0.5) / 1_000);
        for (int i = 0; i < 1_000; i++) {
            assertThat(delays.draw()).isBetween(100_000L, 1_000_000L);
        }
    }

    /**
     * Checks that the measured delays, on which the experiments rest, are in the file: its first lines, and its mean.
     */
    @Test
    void measuredDelaysAreThere() throws Exception {
        assertThat(Delays.hflush().meanMillis()).isBetween(1.0, 100.0);
        assertThat(Delays.read().meanMillis()).isBetween(0.1, 100.0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0,1", "0,1\n0.5,2", "0.1,1\n1,2", "0,2\n1,1", "0,1\n0,2\n1,3", "0,x\n1,2", "0\n1,2"})
    void senselessFilesAreRefused(String text) {
        assertThatThrownBy(() -> Delays.of(text.lines().toList(), "test.csv"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("test.csv");
    }
}
