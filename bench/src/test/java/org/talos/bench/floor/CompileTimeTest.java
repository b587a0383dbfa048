// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class CompileTimeTest {
    @Test
    void compilersOfAProcessCountAsItCountsThemItself() {
        double before = ManagementFactory.getCompilationMXBean().getTotalCompilationTime() / 1e3;

        OptionalDouble seconds = CompileTime.of(ProcessHandle.current().pid()).seconds();

        double after = ManagementFactory.getCompilationMXBean().getTotalCompilationTime() / 1e3;
        assertThat(seconds).isPresent();
        assertThat(seconds.getAsDouble()).isBetween(before - 0.1, after + 0.1);
    }

    @Test
    void processThatIsNotThereHasNone() {
        assertThat(CompileTime.of(Integer.MAX_VALUE).seconds()).isEmpty();
    }
}
