// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.config.Durability;

class SegmentOptionsTest {
    @Test
    void topicThatSaysNothingIsKeptAsTheServerHasIt() {
        assertThat(SegmentOptions.of(Map.of("color", "red"))).isEqualTo(SegmentOptions.DEFAULT);
    }

    @Test
    void attributesOfTheTopicSayHowItIsKept() {
        assertThat(SegmentOptions.of(Map.of("talos.durability", "fsync", "talos.replication", "5")))
                .isEqualTo(new SegmentOptions(Optional.of(Durability.FSYNC), 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hsync", "FSYNC"})
    void durabilityThatThereIsNotIsRefused(String value) {
        assertThatThrownBy(() -> SegmentOptions.of(Map.of("talos.durability", value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: fsync or flush");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "17", "-1", "3 ", "three", "300"})
    void replicationOutOfBoundsIsRefused(String value) {
        assertThatThrownBy(() -> SegmentOptions.of(Map.of("talos.replication", value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: 1..16");
    }
}
