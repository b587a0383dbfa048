// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.admin.TopicDescription;
import org.talos.integration.faults.Load;

/**
 * Two producers on each partition, of clients that know all servers: one goes straight to the partition's, the other
 * asks any of them. Both repeat a put as clients do; what reaches the producer all the same is an error.
 *
 * <p>Confined: the test.
 */
final class ClusterLoad implements AutoCloseable {
    private final Load direct;
    private final Load through;

    private ClusterLoad(TopicDescription topic, SplittableRandom random) {
        direct = Load.gentle("direct-", topic, random.split());
        through = Load.gentle("through-", topic, random.split());
    }

    /** Begins, by clients that repeat for this time. */
    static ClusterLoad start(TestCluster cluster, TopicDescription topic, Duration patience) throws Exception {
        long seed = Long.getLong("talos.faults.seed", System.nanoTime());
        System.out.println("-Dtalos.faults.seed=" + seed);
        ClusterLoad load = new ClusterLoad(topic, new SplittableRandom(seed));
        ClientConfig config = cluster.ofAll(patience);
        load.direct.start(new TalosClient(config));
        load.through.start(new TalosClient(config.withoutDirectRouting()));
        load.awaitMore(20);
        return load;
    }

    /** Waits until each producer has so many puts acknowledged more than by now. */
    void awaitMore(int puts) {
        all().forEach(each -> each.awaitMore(puts));
    }

    /** Puts acknowledged by now. */
    int acknowledged() {
        return all().stream().mapToInt(Load::acknowledged).sum();
    }

    private List<Load> all() {
        return List.of(direct, through);
    }

    /** Ends it. No client has seen an error, and what was acknowledged is there once and in order. */
    void stopAndCheck(TalosClient client) throws Exception {
        for (Load each : all()) {
            each.stop();
        }
        System.out.println("acknowledged=" + acknowledged());
        for (Load each : all()) {
            assertThat(each.failures())
                    .as("errors in spite of the client's retries")
                    .isEmpty();
            each.check(client);
        }
    }

    @Override
    public void close() {
        for (Load each : all()) {
            try {
                each.stop();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
