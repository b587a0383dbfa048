// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NetworkTurnoverTest {
    private final NetworkTurnover<String> turnover = new NetworkTurnover<>(3);

    @Test
    void oldestConnectionOfTheNetworkWithMostIsEvicted() {
        assertThat(turnover.add("server", "198.51.100.1")).isNull();
        assertThat(turnover.add("stranger 1", "198.51.100.9")).isNull();
        assertThat(turnover.add("stranger 2", "198.51.100.9")).isNull();

        assertThat(turnover.add("stranger 3", "198.51.100.9")).isEqualTo("stranger 1");
        assertThat(turnover.add("other server", "198.51.100.2")).isEqualTo("stranger 2");
    }

    @Test
    void oldestOfAllIsEvictedWhereNetworksHaveAsMany() {
        assertThat(turnover.add("1", "198.51.100.1")).isNull();
        assertThat(turnover.add("2", "198.51.100.2")).isNull();
        assertThat(turnover.add("3", "198.51.100.3")).isNull();

        assertThat(turnover.add("4", "198.51.100.4")).isEqualTo("1");
    }

    @Test
    void closedConnectionMakesRoom() {
        assertThat(turnover.add("1", "198.51.100.1")).isNull();
        assertThat(turnover.add("2", "198.51.100.1")).isNull();
        assertThat(turnover.add("3", "198.51.100.2")).isNull();
        turnover.remove("1");
        turnover.remove("1");

        assertThat(turnover.add("4", "198.51.100.2")).isNull();
        assertThat(turnover.add("5", "198.51.100.1")).isEqualTo("2");
    }

    @Test
    void connectionThatIsAddedAgainCountsOnce() {
        assertThat(turnover.add("1", "198.51.100.1")).isNull();
        assertThat(turnover.add("1", "198.51.100.1")).isNull();
        assertThat(turnover.add("2", "198.51.100.1")).isNull();

        assertThat(turnover.add("3", "198.51.100.1")).isNull();
    }
}
