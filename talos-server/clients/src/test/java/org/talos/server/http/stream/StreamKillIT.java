// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.server.testing.ServerProcess;
import org.talos.server.testing.TestServer;

/** Many streams of a server that is killed: all are taken up by the next one, and no put is lost or there twice. */
@Timeout(240)
class StreamKillIT {
    private static final String STREAM = "/v1/topics/orders/stream";
    private static final int PARTITIONS = 8;
    private static final int MANY = 10_000;
    private static final String HEAP = "1g"; // with 512 MiB, one address has 5,460 connections at most
    private static final Map<String, String> SETTINGS =
            Map.of("TALOS_LOG_DURABILITY", "flush", "TALOS_HTTP_LIMITS_STREAMSPERUSER", Integer.toString(MANY));

    @TempDir
    private Path data;

    private final List<ServerProcess> started = new ArrayList<>(); // the last one is where clients go
    private final List<ReturningClient> all = new ArrayList<>();

    @AfterEach
    void close() {
        all.forEach(ReturningClient::close);
        started.forEach(ServerProcess::close);
    }

    /** As many as a test for everyone opens. */
    @Test
    void clientsOfAServerThatIsKilledComeBackAndEachPutIsStoredOnce() throws Exception {
        comeBackToAnother(Integer.getInteger("talos.streams", 300));
    }

    @Test
    @Tag("full") // load
    @Tag("servers")
    void tenThousandClientsOfAServerThatIsKilledComeBackToo() throws Exception {
        comeBackToAnother(MANY);
    }

    private void comeBackToAnother(int clients) throws Exception {
        start();
        admin().createTopic(NewTopic.of("orders", PARTITIONS));
        for (int i = 0; i < clients; i++) {
            String query = "?window=65536&producer=p" + i;
            ReturningClient each = new ReturningClient(this::endpoint, STREAM + query);
            all.add(each);
            each.step(0);
            each.put(i % PARTITIONS, 0, i + " zero");
            each.put(i % PARTITIONS, 1, i + " one");
        }
        started.get(0).kill();
        start();
        for (int i = 0; i < clients; i++) {
            all.get(i).put(i % PARTITIONS, 2, i + " two");
        }
        await().atMost(Duration.ofSeconds(150)).until(() -> {
            for (ReturningClient each : all) {
                each.step(1);
            }
            return all.stream().allMatch(ReturningClient::isAnswered);
        });

        assertThat(all).allSatisfy(each -> {
            assertThat(each.opened()).isEqualTo(2);
            assertThat(List.copyOf(each.offsets().values())).isSorted().hasSize(3);
        });
        assertThat(stored()).as("each is there once").isEqualTo(3L * clients);
    }

    private void start() throws Exception {
        started.add(ServerProcess.start(data.resolve("data"), SETTINGS, HEAP));
    }

    private TalosEndpoint endpoint() throws Exception {
        return TestServer.endpoint(started.get(started.size() - 1).endpoint(), data.resolve("data"));
    }

    private TalosAdmin admin() throws Exception {
        return new TalosAdmin(new TalosClient(endpoint()).once());
    }

    /** Returns the number of stored messages. */
    private long stored() throws Exception {
        return admin().offsets(admin().describeTopic("orders")).stream()
                .mapToLong(PartitionOffsets::endExclusive)
                .sum();
    }
}
