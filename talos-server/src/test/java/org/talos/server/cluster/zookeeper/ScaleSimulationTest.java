// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.IntSummaryStatistics;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.zookeeper.ScaleCluster.Figures;
import org.talos.server.cluster.zookeeper.ScaleZooKeeper.Call;

/**
 * A large cluster on virtual time: what its coordination costs and how long partitions are without a server. The
 * figures of docs/scale.md are those of a hundred servers and a million partitions:
 *
 * <pre>
 * talos.scale.servers=100     so many servers
 * talos.scale.topics=4000     so many topics
 * talos.scale.partitions=250  each of this number of partitions
 * </pre>
 */
@Tag("full") // large
@Tag("servers")
@Timeout(3_600)
class ScaleSimulationTest {
    private static final Logger LOG = LoggerFactory.getLogger(ScaleSimulationTest.class);
    private static final int SERVERS = Integer.getInteger("talos.scale.servers", 20);
    private static final int TOPICS = Integer.getInteger("talos.scale.topics", 200);
    private static final int PARTITIONS = Integer.getInteger("talos.scale.partitions", 50);
    private static final Duration LONG = Duration.ofHours(12);

    private final ScaleCluster cluster = new ScaleCluster(TOPICS, PARTITIONS);
    private final int perServer = TOPICS * PARTITIONS / SERVERS;

    @BeforeEach
    @Timeout(3_600)
    void startAll() {
        for (int server = 0; server < SERVERS; server++) {
            cluster.start(server);
        }
        cluster.measure(() -> {}, () -> cluster.isCalm() && cluster.allAreMembers(), LONG);
        Figures figures = cluster.measure(cluster.rows::create, () -> cluster.isCalm() && cluster.allServe(), LONG);
        tell("creation of all", figures);
        assertThat(isLevel(SERVERS)).isTrue();
        cluster.measure(() -> {}, after(Duration.ofSeconds(5)), LONG);
    }

    private boolean isLevel(int servers) {
        IntSummaryStatistics owned =
                cluster.owned().values().stream().mapToInt(Integer::intValue).summaryStatistics();
        double mean = (double) TOPICS * PARTITIONS / servers;
        return owned.getCount() == servers && owned.getMax() <= Math.max(mean * 1.06, mean + 1);
    }

    private static void tell(String what, Figures figures) {
        LOG.info("{}: servers={} partitions={}: {}", what, SERVERS, TOPICS * PARTITIONS, figures);
    }

    @Test
    void atRestNothingIsReadWrittenOrPlanned() {
        Figures rest = cluster.measure(() -> {}, after(Duration.ofMinutes(1)), LONG);
        tell("a minute at rest", rest);

        assertThat(rest.calls(Call.WRITE) + rest.calls(Call.TRANSACTION)).isZero();
        assertThat(rest.calls(Call.READ) + rest.calls(Call.LIST)).isZero();
        assertThat(rest.rows().calls()).isZero();
        assertThat(rest.leaderSeconds()).isLessThan(0.5);
    }

    private BooleanSupplier after(Duration time) {
        long end = cluster.time.nanos() + time.toNanos();
        return () -> cluster.time.nanos() >= end;
    }

    @Test
    void rollingRestartMovesNothing() {
        var before = cluster.owned();
        boolean[] ended = {false};

        Figures restart = cluster.measure(
                () -> cluster.restartAll(0, SERVERS, () -> ended[0] = true),
                () -> ended[0] && cluster.allServe(),
                LONG);
        tell("rolling restart", restart);

        assertThat(cluster.owned()).isEqualTo(before);
        assertThat(restart.away().most()).isLessThan(ScaleCluster.DELAY_REMOVED.toSeconds() + 30.0);
    }

    @Test
    void lostServersAreReplacedByAllOthers() {
        int lost = SERVERS / 10;

        Figures loss =
                cluster.measure(() -> cluster.lose(0, lost), () -> cluster.oneLeads() && cluster.allServe(), LONG);
        tell("loss of " + lost, loss);

        assertThat(cluster.owned()).hasSize(SERVERS - lost);
        assertThat(cluster.owned().values())
                .allSatisfy(owned -> assertThat((double) owned)
                        .isLessThanOrEqualTo(Math.max(1.06 * perServer * SERVERS / (SERVERS - lost), perServer + 2)));
        double waits = ScaleServer.SESSION.toSeconds() + ScaleCluster.DELAY_REMOVED.toSeconds();
        assertThat(loss.away().most()).isLessThan(waits + 10 + 0.01 * perServer * lost);
    }

    @Test
    void zooKeepersElectionMovesNothing() {
        var before = cluster.owned();

        BooleanSupplier over = after(Duration.ofSeconds(15));
        Figures failover = cluster.measure(cluster::failover, () -> over.getAsBoolean() && cluster.allServe(), LONG);
        tell("failover of ZooKeeper", failover);

        assertThat(cluster.owned()).isEqualTo(before);
        assertThat(failover.calls(Call.WRITE)).isLessThan(2L * SERVERS);
        assertThat(failover.away().most()).isZero();
    }

    @Test
    void drainGoesInWavesAndNoPartitionWaitsLong() {
        Figures drain =
                cluster.measure(() -> cluster.drain(0), () -> cluster.owned(0) == 0 && cluster.allServe(), LONG);
        tell("drain of one", drain);

        assertThat(drain.away().most()).isLessThan(1.0);
        assertThat(cluster.owned()).hasSize(SERVERS - 1);
    }
}
