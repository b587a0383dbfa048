// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;

@Timeout(60)
class LeftoversTest {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path data;

    private ServerConfig config() throws Exception {
        return ConfigLoader.load(Map.of("TALOS_DATADIRECTORY", data.toString()));
    }

    @Test
    void storesWithoutTopicsHaveNothing() throws Exception {
        assertThat(Leftovers.onDisk(config())).isEmpty();
    }

    @Test
    void rowsAndSegmentsOfATopicThatIsNotThereAreFound() throws Exception {
        try (RocksDbMetadataStore metadata = RocksDbMetadataStore.open(data.resolve("metadata"))) {
            var unused = metadata.compareAndSet(RowKey.table('p').and(TOPIC).and(0), 0, new byte[1]);
        }
        Path log = Files.createDirectories(
                data.resolve("logs").resolve("segments").resolve(TOPIC).resolve("0"));
        Files.createFile(log.resolve("00000000000000000000-1.log"));

        assertThat(Leftovers.onDisk(config())).isEqualTo(Map.of(TOPIC, "the row of a partition, segments"));
    }

    @Test
    void emptyDirectoryIsNothing() throws Exception {
        Files.createDirectories(data.resolve("logs").resolve("segments").resolve(TOPIC));

        assertThat(Leftovers.onDisk(config())).isEmpty();
    }
}
