// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Two stores on one directory, as two servers have them: one takes from the other what that one still writes. */
@WithDevCluster(Parts.HDFS)
@Timeout(120)
class HdfsFenceIT {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";

    private final HdfsConfig config;
    private JournaledSegmentStore earlier;
    private JournaledSegmentStore later;

    HdfsFenceIT(DevCluster cluster) {
        config = HdfsStores.config(cluster, "/fence-" + UUID.randomUUID());
    }

    @BeforeEach
    void open() throws Exception {
        earlier = HdfsStores.open(config, Durability.FLUSH);
        later = HdfsStores.open(config, Durability.FLUSH);
    }

    @AfterEach
    void close() {
        earlier.close();
        later.close();
    }

    private static SegmentName segment(int partition, long baseOffset, long epoch) {
        return new SegmentName(new LogId(TOPIC, partition), baseOffset, epoch);
    }

    private static List<ByteBuffer> bytes(String text) {
        return List.of(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String text(JournaledSegmentStore store, SegmentName name) throws StorageException {
        ByteBuffer target = ByteBuffer.allocate(1 << 20);
        store.read(name, 0, target);
        return StandardCharsets.UTF_8.decode(target.flip()).toString();
    }

    private static StorageException failure(CompletableFuture<Void> append) {
        return (StorageException) append.handle((done, error) -> error).join();
    }

    @Test
    void takingOnePartitionFencesTheJournalsAndTheRestGoesOnInNewOnes() throws Exception {
        SegmentName taken = segment(0, 0, 1);
        SegmentName kept = segment(1, 0, 1);
        SegmentWriter takenWriter = earlier.create(taken);
        SegmentWriter keptWriter = earlier.create(kept);
        takenWriter.append(bytes("taken")).join();
        keptWriter.append(bytes("kept")).join();

        assertThat(later.recover(taken)).isEqualTo(5);

        assertThat(text(later, taken)).isEqualTo("taken");
        assertThat(failure(takenWriter.append(bytes("late"))).effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(failure(keptWriter.append(bytes("late"))).reason()).isIn(Reason.FENCED, Reason.UNAVAILABLE);
        assertThat(earlier.recover(kept)).isEqualTo(4);
        assertThat(text(earlier, kept)).isEqualTo("kept");
        SegmentWriter next = earlier.create(segment(1, 4, 2));
        next.append(bytes("goes on")).join();
        assertThat(text(earlier, segment(1, 4, 2))).isEqualTo("goes on");
        assertThat(text(later, taken)).isEqualTo("taken");
    }

    @Test
    void bytesThatStandInJournalsAloneAreHandedOver() throws Exception {
        StringBuilder expected = new StringBuilder();
        SegmentName name = segment(2, 0, 1);
        SegmentWriter writer = earlier.create(name);
        for (int i = 0; i < 3_000; i++) { // several journal files
            String text = "message " + i + " ".repeat(100) + "\n";
            expected.append(text);
            writer.append(bytes(text)).join();
        }

        assertThat(later.recover(name)).isEqualTo(expected.length());

        assertThat(text(later, name)).isEqualTo(expected.toString());
        assertThat(later.recover(name)).isEqualTo(expected.length());
    }

    @Test
    void sealedSegmentIsReadWithoutDisturbingItsOwner() throws Exception {
        SegmentName sealed = segment(3, 0, 1);
        SegmentWriter writer = earlier.create(sealed);
        writer.append(bytes("sealed")).join();
        writer.seal();
        earlier.saveIndex(sealed, new byte[] {1});
        SegmentWriter other = earlier.create(segment(4, 0, 1));
        other.append(bytes("a")).join();

        assertThat(later.recover(sealed)).isEqualTo(6);

        assertThat(text(later, sealed)).isEqualTo("sealed");
        other.append(bytes("b")).join();
        assertThat(text(earlier, segment(4, 0, 1))).isEqualTo("ab");
    }

    @Test
    void writerThatWasTakenInTheMiddleNeverAcknowledgesWhatTheNewOwnerLacks() throws Exception {
        SegmentName name = segment(5, 0, 1);
        SegmentWriter writer = earlier.create(name);
        CompletableFuture<Long> recovered = CompletableFuture.supplyAsync(() -> {
            try {
                return later.recover(name);
            } catch (StorageException e) {
                throw new AssertionError(e);
            }
        });
        long acknowledged = 0;
        boolean failed = false;
        while (!failed) {
            CompletableFuture<Void> append = writer.append(bytes("0123456789"));
            failed = append.handle((done, error) -> error != null).join();
            acknowledged += failed ? 0 : 10;
        }

        assertThat(recovered.join()).isGreaterThanOrEqualTo(acknowledged);
        assertThat(text(later, name)).hasSize(recovered.join().intValue());
        assertThat(failure(writer.append(bytes("x"))).reason()).isIn(Reason.FENCED, Reason.UNAVAILABLE);
    }
}
