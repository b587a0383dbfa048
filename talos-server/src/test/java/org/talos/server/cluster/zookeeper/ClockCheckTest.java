// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.cluster.zookeeper.Cluster.Server;
import org.talos.server.metrics.PrometheusText;

@Timeout(60)
class ClockCheckTest {
    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() throws IOException {
        cluster.close();
    }

    private static InstantSource ahead(Duration by) {
        return () -> InstantSource.system().instant().plus(by);
    }

    @ParameterizedTest
    @CsvSource({"3600, ahead of", "-3600, behind"})
    void serverWhoseClockIsWrongDoesNotStartAndNobodyHearsOfIt(int seconds, String words) throws Exception {
        Server right = cluster.join("right");
        Server wrong = cluster.create("wrong", ahead(Duration.ofSeconds(seconds)));

        assertThatThrownBy(wrong.coordinator::start)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cluster.maxClockDifference: this server's clock is ")
                .hasMessageContaining(" s " + words + " ZooKeeper's (expected: at most 30 s)");

        assertThat(right.view().servers()).containsOnlyKeys("right");
    }

    @Test
    void clockThatIsSetWrongIsKnownAtOnceAndSoIsItsCorrection() throws Exception {
        AtomicReference<Duration> wrong = new AtomicReference<>(Duration.ofSeconds(20));
        Server server =
                cluster.create("a", () -> InstantSource.system().instant().plus(wrong.get()));
        assertThat(server.coordinator.isClockRight())
                .as("nobody has looked yet")
                .isFalse();

        server.coordinator.start();

        assertThat(server.coordinator.isClockRight()).isTrue();
        wrong.set(Duration.ofSeconds(45));
        assertThat(server.coordinator.isClockRight()).isFalse();
        wrong.set(Duration.ofHours(-1));
        assertThat(server.coordinator.isClockRight()).isFalse();
        wrong.set(Duration.ZERO);
        assertThat(server.coordinator.isClockRight()).isTrue();
    }

    @Test
    void smallDifferenceIsMeasuredAndAllowed() throws Exception {
        Server server = cluster.create("a", ahead(Duration.ofSeconds(20)));

        server.coordinator.start();

        assertThat(new PrometheusText(server.metrics).write())
                .containsPattern("\\ntalos_cluster_clock_difference_seconds (19|20)\\b");
    }
}
