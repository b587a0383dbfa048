// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.local.LocalGeneration;
import org.talos.server.testing.FailingMetadataStore;

class GenerationTest {
    @TempDir
    private Path data;

    private FailingMetadataStore store;
    private LocalGeneration logs;
    private Generation generation;

    @BeforeEach
    void open() throws Exception {
        store = new FailingMetadataStore(RocksDbMetadataStore.open(data.resolve("metadata")));
        logs = new LocalGeneration(Files.createDirectory(data.resolve("logs")));
        generation = new Generation(logs, store, "the rows");
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void newLogsAndRowsBeginWithTheFirst() throws Exception {
        assertThat(generation.check()).isZero();

        generation.advance();

        assertThat(generation.check()).isEqualTo(1);
        assertThat(logs.path()).hasContent("talos generation 1 1\n");
    }

    @Test
    void earlierLogsAreRefusedAndTheMessageSaysWhatAcceptsThem() throws Exception {
        generation.advance();
        String earlier = Files.readString(logs.path());
        generation.advance();
        Files.writeString(logs.path(), earlier);

        assertThatThrownBy(generation::check)
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("the logs are an earlier copy")
                .hasMessageContaining("'talos generation 1 2'");

        Files.writeString(logs.path(), "talos generation 1 2");
        assertThat(generation.check()).isEqualTo(2);
    }

    @Test
    void earlierRowsAreRefused() throws Exception {
        generation.advance();
        logs.save(3);

        assertThatThrownBy(generation::check).hasMessageContaining("the rows are an earlier copy");
    }

    @Test
    void logsWithoutTheirNumberAreRefusedOnceTheyHadOne() throws Exception {
        generation.advance();
        Files.delete(logs.path());

        assertThatThrownBy(generation::check).hasMessageContaining("is missing");
    }

    @Test
    void crashBetweenBothIsNoEarlierCopyHoweverOftenItComes() throws Exception {
        generation.advance();
        for (int i = 0; i < 3; i++) {
            store.failAfter(0, false);
            assertThatThrownBy(generation::advance).isNotNull();

            assertThat(generation.check()).isEqualTo(1);
            assertThat(logs.find()).hasValue(2);
        }

        generation.advance();
        assertThat(generation.check()).isEqualTo(2);
    }

    @Test
    void fileOfAnotherFormIsRefused() throws Exception {
        Files.writeString(logs.path(), "7\n");

        assertThatThrownBy(generation::check).hasMessageContaining("is not the generation of logs");
    }
}
