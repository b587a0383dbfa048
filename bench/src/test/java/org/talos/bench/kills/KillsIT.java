// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kills;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.BenchRun;

@Tag("full") // kills
@Tag("bench")
@Timeout(600)
class KillsIT {
    @TempDir
    Path home;

    @Test
    void nothingAcknowledgedIsLostDoubledOrMovedByKills() {
        BenchRun run = BenchRun.of(home, "bench", "kills", "--rounds", "3", "--seconds", "2", "--heap", "256m");

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output()).contains("flush    killed 3 times", "fsync    killed 3 times", "nothing acknowledged");
    }
}
