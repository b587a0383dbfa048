// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Segments are kept as their topic asks. */
@Tag("full") // daemons
@Tag("storage")
@WithDevCluster(Parts.HDFS)
@Timeout(60)
class HdfsOptionsIT {
    private static final SegmentName NAME = new SegmentName(new LogId("0123456789abcdef0123456789abcdef", 0), 0, 1);

    private final HdfsConfig config;

    HdfsOptionsIT(DevCluster cluster) {
        config = HdfsStores.config(cluster, "/options-" + UUID.randomUUID());
    }

    @Test
    void topicHasItsOwnNumberOfCopiesAndItsOwnDurability() throws Exception {
        Path root = new Path(config.root());
        try (JournaledSegmentStore store = HdfsStores.open(config, Durability.FLUSH);
                FileSystem files = FileSystem.newInstance(root.toUri(), ClientConfiguration.hdfs(config))) {
            SegmentOptions options = new SegmentOptions(Optional.of(Durability.FSYNC), 2);

            store.create(NAME, options)
                    .append(List.of(ByteBuffer.wrap(new byte[100])))
                    .join();

            HdfsPaths paths = new HdfsPaths(files.makeQualified(root));
            assertThat(files.getFileStatus(paths.first(NAME)).getReplication()).isEqualTo((short) 2);
            FileStatus session = files.listStatus(paths.journals())[0];
            assertThat(Stream.of(files.listStatus(session.getPath()))
                            .flatMap(file -> HdfsPaths.lane(file.getPath()).stream()))
                    .isNotEmpty()
                    .allSatisfy(lane -> assertThat(lane)
                            .as("the lanes of what is synced are the first")
                            .isLessThan(config.journals()));
        }
    }
}
