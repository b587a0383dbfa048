// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Two servers that take the same partitions at the same time from a third one that still writes to them. */
@Tag("full") // races
@Tag("storage")
@WithDevCluster(Parts.HDFS)
@Timeout(240)
class RacingServersIT {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";
    private static final int PARTITIONS = 6;
    private static final int APPENDS_BEFORE = 300;

    private final HdfsConfig config;
    private final List<JournaledSegmentStore> stores = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    RacingServersIT(DevCluster cluster) {
        config = HdfsStores.config(cluster, "/race-" + UUID.randomUUID());
    }

    @BeforeEach
    void open() throws Exception {
        for (int i = 0; i < 3; i++) {
            stores.add(HdfsStores.open(config, Durability.FLUSH));
        }
    }

    @AfterEach
    void close() {
        threads.shutdown();
        stores.forEach(JournaledSegmentStore::close);
    }

    private static SegmentName segment(int partition) {
        return new SegmentName(new LogId(TOPIC, partition), 0, 1);
    }

    @RepeatedTest(3)
    void bothFindTheSameAndAllThatWasAcknowledged() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(PARTITIONS + 2);
        List<Future<String>> written = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            SegmentWriter writer = stores.get(0).create(segment(partition));
            written.add(threads.submit(() -> appendUntilItFails(writer, barrier)));
        }

        Future<List<String>> one = threads.submit(() -> takeAll(stores.get(1), barrier, false));
        Future<List<String>> other = threads.submit(() -> takeAll(stores.get(2), barrier, true));

        assertThat(one.get()).isEqualTo(other.get());
        for (int partition = 0; partition < PARTITIONS; partition++) {
            assertThat(one.get().get(partition))
                    .startsWith(written.get(partition).get());
        }
    }

    /** Returns what was acknowledged. */
    private static String appendUntilItFails(SegmentWriter writer, CyclicBarrier barrier) throws Exception {
        StringBuilder acknowledged = new StringBuilder();
        for (int i = 0; ; i++) {
            if (i == APPENDS_BEFORE) {
                barrier.await();
            }
            String text = i + "\n";
            CompletableFuture<Void> append =
                    writer.append(List.of(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
            if (append.handle((done, error) -> error != null).join()) {
                return acknowledged.toString();
            }
            acknowledged.append(text);
        }
    }

    private static List<String> takeAll(JournaledSegmentStore store, CyclicBarrier barrier, boolean lastFirst)
            throws Exception {
        barrier.await();
        String[] found = new String[PARTITIONS];
        for (int i = 0; i < PARTITIONS; i++) {
            int partition = lastFirst ? PARTITIONS - 1 - i : i;
            long length = store.recover(segment(partition));
            ByteBuffer target = ByteBuffer.allocate((int) length);
            assertThat(store.read(segment(partition), 0, target)).isEqualTo((int) length);
            found[partition] = StandardCharsets.UTF_8.decode(target.flip()).toString();
        }
        return List.of(found);
    }
}
