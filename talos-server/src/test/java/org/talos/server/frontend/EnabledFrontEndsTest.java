// SPDX-License-Identifier: Apache-2.0
package org.talos.server.frontend;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.talos.server.config.ServerConfig.FrontEndsConfig;
import org.talos.server.config.load.ConfigException;

class EnabledFrontEndsTest {
    @Test
    void nameWithoutAFrontEndIsRefusedEnabledOrNot() {
        for (String enabled : new String[] {"true", "false"}) {
            FrontEndsConfig config = FrontEndsConfig.of(Map.of("kafka.enabled", enabled));

            assertThatThrownBy(() -> EnabledFrontEnds.of(config))
                    .isInstanceOf(ConfigException.class)
                    .hasMessage("frontEnds.kafka: unknown front end (expected: no front ends, as no jar with one is on"
                            + " the class path)");
        }
    }
}
