// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.common.error.Effect;
import org.talos.common.error.ErrorTraits;
import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;

class FailuresTest {
    @ParameterizedTest
    @EnumSource
    void thriftClientsGetTheCodeOfTheTableAndTheEffect(ErrorCode code) {
        for (Effect effect : Effect.values()) {
            TalosException failure = new TalosException(code, effect, "a sentence");

            GalaxyTalosException shown = Failures.toThrift(failure);

            assertThat(shown.getErrorCode()).isEqualTo(ErrorTraits.thriftCodeOf(failure));
            assertThat(shown.getErrMsg()).isEqualTo("a sentence");
            assertThat(shown.getDetails()).isEqualTo(shown.getErrorCode() + ": a sentence; effect: " + effect);
            assertThat(shown.getEffect()).isEqualTo(effect.name());
        }
    }
}
