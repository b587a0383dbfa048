// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.WithDevCluster;

/** Partitions weigh what is put to them. */
@Tag("full") // load
@Tag("servers")
@WithDevCluster
@Timeout(300)
class RebalanceIT {
    private static final int PARTITIONS = 6;

    @TempDir
    private Path directory;

    private final DevCluster daemons;
    private TestCluster cluster;

    RebalanceIT(DevCluster daemons) {
        this.daemons = daemons;
    }

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster(daemons, directory);
        cluster.start("one");
        cluster.start("two");
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private void move(int from, int to, String server) throws Exception {
        for (int partition = from; partition < to; partition++) {
            String body = String.format(
                    Locale.ROOT, "{\"topic\":\"orders\",\"partition\":%d,\"server\":\"%s\"}", partition, server);
            assertThat(cluster.rest("two", "POST", "/v1/cluster/moves", body).statusCode())
                    .isEqualTo(204);
        }
    }

    @Test
    void busyServerGivesAPartitionAwayThoughItHasNoMoreThanTheOther() throws Exception {
        TopicDescription topic = new TalosAdmin(cluster.all()).createTopic(NewTopic.of("orders", PARTITIONS));
        move(0, PARTITIONS, "one");
        cluster.awaitStatus("one", Map.of("one", "serving 6", "two", "serving 0"));
        move(PARTITIONS / 2, PARTITIONS, "two");
        cluster.awaitStatus("one", Map.of("one", "serving 3", "two", "serving 3"));
        SimpleProducer producer = new SimpleProducer(cluster.all(), topic, Compression.NONE);

        await().atMost(Duration.ofMinutes(1)).until(() -> {
            for (int partition = 0; partition < PARTITIONS / 2; partition++) {
                producer.put(partition, List.of(OutgoingMessage.of(new byte[100_000])));
            }
            assertThat(cluster.rest("two", "POST", "/v1/cluster/rebalance", "").statusCode())
                    .isEqualTo(204);
            return cluster.status("one").equals(Map.of("one", "serving 2", "two", "serving 4"));
        });
    }
}
