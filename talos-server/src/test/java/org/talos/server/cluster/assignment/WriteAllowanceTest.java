// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WriteAllowanceTest {
    private long nanos;
    private final WriteAllowance writes = new WriteAllowance(() -> nanos);

    @Test
    void moreServersLeaveFewerWritesAndEachHalfSecondBeginsAgain() {
        assertThat(writes.left(1_000)).isEqualTo(25);
        for (int i = 0; i < 25; i++) {
            writes.onWritten();
        }
        assertThat(writes.left(1_000)).isZero();
        assertThat(writes.left(500)).isEqualTo(25);

        nanos += Duration.ofMillis(500).toNanos();
        assertThat(writes.left(1_000)).isEqualTo(25);
    }
}
