// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.cluster.ClusterClock;
import org.talos.server.cluster.zookeeper.Cluster.Server;
import org.talos.server.cluster.zookeeper.access.ZooKeeperUsers;
import org.talos.server.metrics.PrometheusText;

@ResourceLock(value = ZooKeeperUsers.LOGINS, mode = ResourceAccessMode.READ) // servers that ask nobody
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
    void serverWhoseClockIsWrongDoesNotStartAndIsNotRegistered(int seconds, String words) throws Exception {
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
        InstantSource own = () -> InstantSource.system().instant().plus(wrong.get());
        ZooKeeperCoordinator coordinator = cluster.create("a", own).coordinator;
        coordinator.start();

        assertThat(coordinator.isClockRight()).isTrue();
        for (Duration by : List.of(Duration.ofSeconds(45), Duration.ofHours(-1))) {
            wrong.set(by);
            assertThat(coordinator.isClockRight()).isFalse();
            assertThat(coordinator.clusterClock(own).instant()).isCloseTo(Instant.now(), within(Duration.ofSeconds(5)));
        }
        wrong.set(Duration.ofSeconds(20));
        assertThat(coordinator.isClockRight()).as("clocks may be so far apart").isTrue();
    }

    @Test
    void timeIsSureSoonAfterItWasAskedFor() throws Exception {
        InstantSource own = ahead(Duration.ZERO);
        ZooKeeperCoordinator coordinator = cluster.create("a", own).coordinator;
        coordinator.start();
        ClusterClock clock = coordinator.clusterClock(own);

        assertThat(clock.isSure())
                .as("the clocks were compared before it was asked for")
                .isFalse();

        await().until(clock::isSure);
    }

    /** Leases may be shorter than the clocks may differ. */
    @Test
    void differenceThatIsAllowedIsCorrectedToo() throws Exception {
        InstantSource own = ahead(Duration.ofSeconds(20));
        ZooKeeperCoordinator coordinator = cluster.create("a", own).coordinator;

        coordinator.start();

        assertThat(coordinator.isClockRight()).isTrue();
        assertThat(coordinator.clusterClock(own).instant()).isCloseTo(Instant.now(), within(Duration.ofSeconds(5)));
    }

    @Test
    void clockThatIsSetWrongDuringAComparisonIsKnownToo() throws Exception {
        AtomicInteger looks = new AtomicInteger(); // the first two: when it joins, and at the comparison's beginning
        InstantSource own = () -> InstantSource.system().instant().plusSeconds(looks.getAndIncrement() < 2 ? 20 : 45);
        ZooKeeperCoordinator coordinator = cluster.create("a", own).coordinator;

        coordinator.start();

        assertThat(coordinator.isClockRight()).isFalse();
    }

    @Test
    void clockThatIsSetWhileTheClustersTimeIsReadDoesNotSpoilIt() throws Exception {
        AtomicInteger looksLeft = new AtomicInteger(Integer.MAX_VALUE);
        InstantSource own =
                () -> InstantSource.system().instant().plusSeconds(looksLeft.getAndDecrement() > 0 ? 0 : 3_600);
        ZooKeeperCoordinator coordinator = cluster.create("a", own).coordinator;
        coordinator.start();

        looksLeft.set(1); // it is set between one look and the next

        assertThat(coordinator.clusterClock(own).instant()).isCloseTo(Instant.now(), within(Duration.ofSeconds(5)));
    }

    @Test
    void smallDifferenceIsMeasuredAndAllowed() throws Exception {
        Server server = cluster.create("a", ahead(Duration.ofSeconds(20)));

        server.coordinator.start();

        assertThat(new PrometheusText(server.metrics).write())
                .containsPattern("\\ntalos_cluster_clock_difference_seconds (19|20)\\b");
    }
}
