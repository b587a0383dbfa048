// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.single;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.cluster.Location;

final class SingleServerCoordinatorTest {
    @Test
    void ownsEveryPartitionAtItsAddress() {
        try (SingleServerCoordinator coordinator = new SingleServerCoordinator()) {
            coordinator.reachedAt("[::1]:8080");
            assertThat(coordinator.locate("any", 255)).isEqualTo(new Location.Here());
            assertThat(coordinator.address("any", 255)).contains("[::1]:8080");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "host", "host:", ":80", "http://host", "host:port"})
    void addressThatClientsCannotReachIsRefused(String address) {
        assertThatThrownBy(() -> new SingleServerCoordinator().reachedAt(address))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
