// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class CompileTimeTest {
    @Test
    @EnabledOnOs(OS.LINUX)
    void compilersOfAProcessHaveWorkedAndNoLongerThanThatProcess() {
        OptionalDouble seconds = CompileTime.of(ProcessHandle.current().pid()).seconds();

        double all =
                ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
        assertThat(ManagementFactory.getCompilationMXBean().getTotalCompilationTime())
                .isPositive();
        assertThat(seconds.orElseThrow()).isPositive().isLessThan(all);
    }

    @Test
    void processThatIsNotThereHasNone() {
        assertThat(CompileTime.of(Integer.MAX_VALUE).seconds()).isEmpty();
    }
}
