// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.library.NativeLibraries;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.seam.Seams;
import org.talos.server.storage.StorageException;

/** A data directory whose two halves are, or are not, one store's. */
@Timeout(60)
class StoresTest {
    @TempDir
    private Path folder;

    /** Does the work of a server with its stores at its start and at its end. */
    private void startAndStop(String data) throws Exception {
        Metrics metrics = new Metrics(SystemTime.ticker());
        new Stores(
                        ConfigLoader.load(Map.of(
                                "TALOS_DATADIRECTORY", folder.resolve(data).toString())),
                        SystemTime.ticker(),
                        SystemTime.wallClock(),
                        metrics,
                        new LogMetrics(metrics),
                        Seams.shipped(),
                        DiskSpace.none())
                .close();
    }

    private Path logs(String data) {
        return folder.resolve(data).resolve("logs");
    }

    @Test
    void copiesOfLibrariesThatKilledProcessesHaveLeftAreDeletedAtTheStart() throws Exception {
        Path data = Files.createDirectories(folder.resolve("first"));
        Path stale = Files.createTempDirectory(data, NativeLibraries.FOLDER);
        Files.writeString(stale.resolve("librocksdbjni-linux64.so"), "a library");
        Files.setLastModifiedTime(
                stale, FileTime.from(SystemTime.wallClock().instant().minus(Duration.ofHours(1))));
        Path ofAnother = Files.createTempDirectory(data, NativeLibraries.FOLDER);

        startAndStop("first");

        assertThat(stale).doesNotExist();
        assertThat(ofAnother).isDirectory();
    }

    @Test
    void firstStartGivesAnIdentityThatLaterOnesFind() throws Exception {
        startAndStop("first");
        String identity = Files.readString(logs("first").resolve("IDENTITY"));

        startAndStop("first");

        assertThat(identity).matches("talos store 1 [0-9a-f]{32}\n");
        assertThat(logs("first").resolve("IDENTITY")).hasContent(identity);
    }

    @Test
    void logsOfAnotherServerAreRefused() throws Exception {
        startAndStop("first");
        startAndStop("second");
        Files.move(logs("first"), folder.resolve("away"));
        Files.move(logs("second"), logs("first"));

        assertThatThrownBy(() -> startAndStop("first"))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("do not belong together");
    }

    @Test
    void logsThatHaveGoneAreNotBegunAnew() throws Exception {
        startAndStop("first");
        Files.move(logs("first"), folder.resolve("away"));

        assertThatThrownBy(() -> startAndStop("first")).hasMessageContaining("do not belong together");

        assertThat(logs("first")).doesNotExist();
        Files.move(folder.resolve("away"), logs("first"));
        startAndStop("first");
    }

    @Test
    void directoryOfAnEarlierVersionIsAdopted() throws Exception {
        startAndStop("first");
        Files.delete(logs("first").resolve("IDENTITY"));
        try (MetadataStore rows = RocksDbMetadataStore.open(folder.resolve("first/metadata"))) {
            RowKey key = RowKey.table('i');
            assertThat(rows.compareAndDelete(key, rows.get(key).orElseThrow().version()))
                    .isTrue();
        }

        startAndStop("first");

        assertThat(logs("first").resolve("IDENTITY")).exists();
    }
}
