// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class FreePortsTest {
    @Test
    void noneIsGivenTwiceAndNoneIsOfThoseForOutgoingConnections() throws Exception {
        Set<Integer> given = new HashSet<>();
        for (int i = 0; i < 500; i++) {
            assertThat(given.add(FreePorts.next())).isTrue();
        }

        assertThat(given).allMatch(port -> port >= FreePorts.LOWEST && port < FreePorts.HIGHEST);
    }

    @Test
    void portThatSomebodyListensOnIsNotFree() throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(Ports.address(FreePorts.next()));

            assertThat(FreePorts.isFree(taken.getLocalPort())).isFalse();
        }
    }
}
