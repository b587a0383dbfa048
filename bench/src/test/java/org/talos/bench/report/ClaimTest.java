// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClaimTest {
    @Test
    void claimHoldsUpToItsLimitItself() {
        assertThat(Claim.atLeast("QPS", "", 1.1, 1.1).passed()).isTrue();
        assertThat(Claim.atLeast("QPS", "", 1.09, 1.1).passed()).isFalse();
        assertThat(Claim.atMost("P99", "ms", 5, 5).passed()).isTrue();
        assertThat(Claim.atMost("P99", "ms", 5.01, 5).passed()).isFalse();
    }

    @Test
    void lineSaysWhatWasMeasuredAndWhatWasExpected() {
        assertThat(Claim.atLeast("QPS of affinity against hash", "", 1.312, 1.1).line())
                .isEqualTo("pass  QPS of affinity against hash: 1.31 (at least 1.10)");
        assertThat(Claim.atMost("P99", "ms", 6.5, 5).line()).isEqualTo("FAIL  P99: 6.50 ms (at most 5.00 ms)");
    }

    @Test
    void narrowMissIsShownWithEnoughDigits() {
        assertThat(Claim.atLeast("QPS", "", 1.0996, 1.1).line()).isEqualTo("FAIL  QPS: 1.0996 (at least 1.1000)");
    }

    @Test
    void whatWasNotMeasuredFails() {
        Claim claim = Claim.atMost("P99", "ms", Double.NaN, 5);

        assertThat(claim.passed()).isFalse();
        assertThat(claim.line()).isEqualTo("FAIL  P99: not measured (at most 5.00 ms)");
    }
}
