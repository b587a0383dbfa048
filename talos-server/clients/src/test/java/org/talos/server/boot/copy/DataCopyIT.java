// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
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
import org.talos.server.storage.journal.JournalFormat;
import org.talos.server.testing.Folders;
import org.talos.server.testing.ServerProcess;
import org.talos.server.testing.TestServer;

/** Copies of a data directory that a server has left, and what a server finds in them. */
@Timeout(120)
class DataCopyIT {
    @TempDir
    private static Path left; // by a server; each test has a copy

    @TempDir
    private Path folder;

    private Path data;
    private Path copy;

    @BeforeAll
    static void leftByAServer() throws Exception {
        try (TestServer server = TestServer.start(left.resolve("data"), Map.of())) {
            TopicDescription topic = server.admin().createTopic(NewTopic.of("orders", 1));
            new SimpleProducer(new TalosClient(server.endpoint()).once(), topic, Compression.NONE)
                    .put(0, List.of(OutgoingMessage.of("kept")));
        }
    }

    @BeforeEach
    void copied() throws Exception {
        data = folder.resolve("data");
        copy = folder.resolve("safe/copy");
        Folders.copy(left.resolve("data"), data);
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
                .hasMessageContaining("is not a data directory");
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

    /** Otherwise the damage in the copy would pass for what a power failure has left, and a start would cut it off. */
    @Test
    void copyOfAJournalThatAStartHasRefusedIsDamagedToo() throws Exception {
        Path logs = data.resolve("logs");
        Files.writeString(logs.resolve("RUN"), "talos run 2 boot 1 2\n");
        Files.writeString(logs.resolve("REFUSED"), "talos refused 1\ntalos run 2 boot 1 2\n");
        Files.write(logs.resolve("journal/00000000000000000099.journal"), damagedJournal());

        DataCopy.Copied made = copy(data, copy);

        assertThat(made.diagnosis().results().toString())
                .contains("is damaged at position " + JournalFormat.FILE_HEADER_BYTES);
        assertThat(made.place()).hasFileName("copy.incomplete");
        assertThat(made.place().resolve("logs/REFUSED")).hasSameBinaryContentAs(logs.resolve("REFUSED"));
    }

    /** Returns a file that was not synced: a batch with a wrong checksum, and a whole one behind it. */
    private static byte[] damagedJournal() {
        int salt = 7;
        int checksum = JournalFormat.crc(List.of());
        return ByteBuffer.allocate(JournalFormat.FILE_HEADER_BYTES + 2 * JournalFormat.BATCH_HEADER_BYTES)
                .put(JournalFormat.fileHeader(99, 0, 0, salt, false))
                .put(JournalFormat.batchHeader(salt, 0, 0, 0, checksum + 1))
                .put(JournalFormat.batchHeader(salt, 1, 0, 0, checksum))
                .array();
    }

    @Test
    void linksAreFollowedAndOneThatLeadsNowhereIsRefused() throws Exception {
        Path key = Files.move(data.resolve("secrets.key"), folder.resolve("key"));
        Path link = Files.createSymbolicLink(data.resolve("secrets.key"), key);
        copy(data, copy);
        assertThat(copy.resolve("secrets.key"))
                .isRegularFile()
                .hasSameBinaryContentAs(key)
                .satisfies(each -> assertThat(Files.isSymbolicLink(each)).isFalse());

        Files.move(key, folder.resolve("moved"));
        assertThatThrownBy(() -> copy(data, folder.resolve("second")))
                .hasMessageContaining("lacks secrets.key: no server would start");
        Files.delete(link);
        Files.move(folder.resolve("moved"), link);
        Files.delete(data.resolve("metadata.written"));
        Files.createSymbolicLink(data.resolve("metadata.written"), folder.resolve("nowhere"));
        assertThatThrownBy(() -> copy(data, folder.resolve("second")))
                .hasMessageContaining("metadata.written is not a file, or a link that leads nowhere");
        assertThat(folder.resolve("second")).doesNotExist();
        assertThat(folder.resolve("second.incomplete")).doesNotExist();
    }

    @Test
    void linkToTheTargetStaysAndTheCopyIsWhereItLeads() throws Exception {
        Path disk = Files.createDirectories(folder.resolve("disk/data"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), disk);

        assertThat(copy(data, link).place()).isEqualTo(disk);

        assertThat(link).isSymbolicLink();
        assertThat(messages(link)).containsExactly("kept");
        assertThat(folder.resolve("link.incomplete")).doesNotExist();
    }

    @Test
    void linkToNothingAndAFileAreNoTargets() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nowhere"));
        Path file = Files.writeString(folder.resolve("file"), "mine");

        assertThatThrownBy(() -> copy(data, link)).hasMessageContaining("link is there");
        assertThatThrownBy(() -> copy(data, file)).hasMessageContaining("file is there");

        assertThat(file).hasContent("mine");
        assertThat(folder.resolve("nowhere")).doesNotExist();
    }

    /** Else each folder of the copy would have the next one in it. */
    @Test
    void copyInsideOfWhatLinksLeadToIsRefused() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), data);
        assertThatThrownBy(() -> copy(link, data.resolve("copy"))).hasMessageContaining("would be inside");

        Path logs = Files.move(data.resolve("logs"), folder.resolve("logs"));
        Files.createSymbolicLink(data.resolve("logs"), logs);
        assertThatThrownBy(() -> copy(data, logs.resolve("copy"))).hasMessageContaining("would be inside");

        assertThat(logs.resolve("copy.incomplete")).doesNotExist();
    }

    @Test
    void copyThatWasNotFinishedIsNotRestored() throws Exception {
        Path incomplete = Files.move(copy(data, copy).place(), folder.resolve("safe/copy.incomplete"));

        assertThatThrownBy(() -> copy(incomplete, folder.resolve("restored")))
                .hasMessageContaining("not finished or is not whole");

        assertThat(folder.resolve("restored.incomplete")).doesNotExist();
    }

    @Test
    void directoryOfTheFileSystemsOwnIsLeftOut() throws Exception {
        Path found = Files.createDirectory(data.resolve("lost+found"));
        Files.writeString(found.resolve("#12"), "found");
        Files.setPosixFilePermissions(found, Set.of());
        try {
            assertThat(copy(data, copy).diagnosis().healthy()).isTrue();
        } finally {
            Files.setPosixFilePermissions(found, PosixFilePermissions.fromString("rwx------"));
        }

        assertThat(copy.resolve("lost+found")).doesNotExist();
    }

    @Test
    void placeWhereADiskIsMountedIsRefusedBeforeAnythingIsCopied() throws Exception {
        Path mounted = Path.of("/dev/shm");
        assumeTrue(
                Files.isDirectory(mounted) && !Files.getFileStore(mounted).equals(Files.getFileStore(Path.of("/dev"))),
                "nothing is mounted at " + mounted);

        assertThatThrownBy(() -> copy(data, mounted)).hasMessageContaining("is where a disk is mounted");
    }

    /** It opens its rows first, and finds the logs locked after that. */
    @Test
    void serverThatHasTheRowsAloneIsKnownToo() throws Exception {
        Path other = folder.resolve("other");
        ServerProcess server = ServerProcess.start(other, Map.of());
        try {
            Folders.delete(data.resolve("metadata"));
            Files.createSymbolicLink(data.resolve("metadata"), other.resolve("metadata"));

            assertThatThrownBy(() -> copy(data, copy))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("a server is running on the directory")
                    .hasMessageContaining("metadata");
        } finally {
            server.kill();
        }
    }
}
