// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.storage.StorageException;
import org.talos.server.testing.Folders;
import org.talos.server.testing.TestServer;

/** Copies of a data directory that a server has left, and what a server finds in them. */
@Timeout(120)
class DataCopyIT {
    @TempDir
    private Path folder;

    private Path data;
    private Path copy;

    @BeforeEach
    void leftByAServer() throws Exception {
        data = folder.resolve("data");
        copy = folder.resolve("safe/copy");
        try (TestServer server = TestServer.start(data, Map.of())) {
            TopicDescription topic = server.admin().createTopic(NewTopic.of("orders", 1));
            new SimpleProducer(new TalosClient(server.endpoint()).once(), topic, Compression.NONE)
                    .put(0, List.of(OutgoingMessage.of("kept")));
        }
    }

    private static DataCopy.Copied copy(Path from, Path to) throws Exception {
        return DataCopy.copy(from, to, (bytes, of) -> {});
    }

    private static List<String> messages(Path directory) throws Exception {
        try (TestServer server = TestServer.start(directory, Map.of())) {
            TopicDescription topic = server.admin().describeTopic("orders");
            return new SimpleConsumer(new TalosClient(server.endpoint()), topic, 0)
                    .fetch(SimpleConsumer.EARLIEST, 10).stream()
                            .map(FetchedMessage::text)
                            .toList();
        }
    }

    @Test
    void serverGoesOnWithACopyOfACopyAsWithItsDirectory() throws Exception {
        Map<Path, String> before = Folders.state(data);
        DataCopy.Copied made = copy(data, copy);
        assertThat(made.diagnosis().healthy()).isTrue();
        assertThat(made.place()).isEqualTo(copy);
        assertThat(Folders.state(data)).isEqualTo(before);

        Folders.delete(data);
        Map<Path, String> kept = Folders.state(copy);
        assertThat(copy(copy, data).diagnosis().healthy()).isTrue();

        assertThat(Folders.state(copy)).isEqualTo(kept);
        assertThat(messages(data)).containsExactly("kept");
        assertThat(folder.resolve("safe")).isDirectoryContaining("glob:**/copy");
        try (Stream<Path> all = Files.list(folder.resolve("safe"))) {
            assertThat(all).hasSize(1);
        }
    }

    @Test
    void copyIsForItsUserAlone() throws Exception {
        copy(data, copy);

        try (Stream<Path> all = Files.walk(copy)) {
            assertThat(all)
                    .allSatisfy(each -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                            .matches("rw[x-]------"));
        }
    }

    @Test
    void directoryOfARunningServerIsRefusedAndNothingMade() throws Exception {
        try (TestServer server = TestServer.start(data, Map.of())) {
            assertThat(server.uri()).isNotNull();

            assertThatThrownBy(() -> copy(data, copy))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("a server is running");
        }
        assertThat(folder.resolve("safe")).doesNotExist();
    }

    @Test
    void nothingIsOverwrittenAndWhatIsNoDataDirectoryIsSaid() throws Exception {
        Files.createDirectories(copy);
        Files.writeString(copy.resolve("mine"), "mine");

        assertThatThrownBy(() -> copy(data, copy)).hasMessageContaining("is there and not empty");
        assertThatThrownBy(() -> copy(folder.resolve("safe"), folder.resolve("other")))
                .hasMessageContaining("is no data directory");
        assertThatThrownBy(() -> copy(data, data.resolve("copy"))).hasMessageContaining("would be inside");
        assertThat(copy.resolve("mine")).hasContent("mine");
    }

    @Test
    void copyOfWhatIsDamagedDoesNotGetItsName() throws Exception {
        Path segment;
        try (Stream<Path> all = Files.walk(data.resolve("logs/segments"))) {
            segment = all.filter(each -> each.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(segment);
        bytes[bytes.length - 1] ^= 1;
        Files.write(segment, bytes);

        DataCopy.Copied made = copy(data, copy);

        assertThat(made.diagnosis().healthy()).isFalse();
        assertThat(made.place()).hasFileName("copy.incomplete").isDirectory();
        assertThat(copy).doesNotExist();
        assertThatThrownBy(() -> copy(data, copy)).hasMessageContaining("copy.incomplete is there");
    }
}
