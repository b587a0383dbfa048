// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.hadoop.ReportLine;
import org.talos.server.hadoop.ReportLine.Status;
import org.talos.server.testing.Folders;
import org.talos.server.testing.TestServer;

/** Tests the doctor on a data directory that a server has left, whole and damaged. */
@Timeout(120)
class LocalDoctorIT {
    private static final int MESSAGES = 88;

    @TempDir
    private static Path left; // by a server; each test changes a copy

    @TempDir
    private Path folder;

    private Path stopped;
    private Path killed; // a copy that was taken while the server did nothing

    @BeforeAll
    static void leftByAServer() throws Exception {
        Path data = left.resolve("stopped");
        try (TestServer server = TestServer.start(data, Map.of())) {
            TopicDescription topic = server.admin().createTopic(NewTopic.of("orders", 1));
            SimpleProducer producer =
                    new SimpleProducer(new TalosClient(server.endpoint()).once(), topic, Compression.NONE);
            List<OutgoingMessage> messages = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                messages.add(OutgoingMessage.of("message-" + i));
            }
            producer.put(0, messages);
            Folders.copy(data, left.resolve("killed"));
        }
    }

    @BeforeEach
    void copied() throws Exception {
        stopped = folder.resolve("stopped");
        killed = folder.resolve("killed");
        Folders.copy(left.resolve("stopped"), stopped);
        Folders.copy(left.resolve("killed"), killed);
    }

    private static Doctor.Diagnosis examine(Path data) throws Exception {
        return LocalDoctor.examine(
                ConfigLoader.load(Map.of("TALOS_DATADIRECTORY", data.toString())),
                new LocalDoctor.SegmentReading(false, (bytes, of) -> {}),
                10);
    }

    private static String of(Doctor.Diagnosis diagnosis, Status status, String what) {
        List<String> lines = diagnosis.results().stream()
                .filter(each -> each.what().equals(what))
                .filter(each -> each.status() == status)
                .map(ReportLine::detail)
                .toList();
        assertThat(lines).as(diagnosis.results().toString()).hasSize(1);
        return lines.get(0);
    }

    private static void assertFailsAt(Path data, String what, String detail) throws Exception {
        Map<Path, String> before = Folders.state(data);

        Doctor.Diagnosis diagnosis = examine(data);

        assertThat(diagnosis.healthy()).isFalse();
        assertThat(of(diagnosis, Status.FAIL, what)).contains(detail);
        assertThat(Folders.state(data)).isEqualTo(before);
    }

    private static void flip(Path file, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }

    @Test
    void directoryOfAServerThatWasStoppedIsWholeAndNotChanged() throws Exception {
        Map<Path, String> before = Folders.state(stopped);

        Doctor.Diagnosis diagnosis = examine(stopped);

        assertThat(diagnosis.results())
                .allSatisfy(
                        each -> assertThat(each.status()).as(each.toString()).isEqualTo(Status.OK));
        assertThat(diagnosis.results().stream().map(ReportLine::what))
                .containsExactly(
                        "directory",
                        "journal list",
                        "journal",
                        "metadata",
                        "identity",
                        "generation",
                        "secrets",
                        "segments",
                        "orders/0");
        assertThat(of(diagnosis, Status.OK, "orders/0")).contains("offsets=0.." + MESSAGES);
        assertThat(diagnosis.inventories().get(0).count()).isEqualTo(1);
        assertThat(Folders.state(stopped)).isEqualTo(before);
    }

    @Test
    void directoryOfAServerThatWasKilledIsWholeAndStaysSoAfterTheNextStart() throws Exception {
        assertThat(examine(killed).healthy()).isTrue();

        TestServer.start(killed, Map.of()).close();

        assertThat(of(examine(killed), Status.OK, "orders/0")).contains("offsets=0.." + MESSAGES);
    }

    @Test
    void directoryThatAServerUsesIsNotLookedAt() throws Exception {
        try (TestServer server = TestServer.start(stopped, Map.of())) {
            assertThat(server.uri()).isNotNull();

            assertThat(of(examine(stopped), Status.FAIL, "directory")).contains("a server is running");
        }
    }

    @Test
    void directoryThatNobodyHasUsedIsSaid() throws Exception {
        assertThat(of(examine(folder.resolve("nothing")), Status.FAIL, "directory"))
                .contains("no server has used");
        assertThat(folder.resolve("nothing")).doesNotExist();
    }

    @Test
    void sealedSegmentThatIsMissingIsNamed() throws Exception {
        Files.delete(Folders.last(stopped.resolve("logs/segments"), ".log"));

        assertFailsAt(stopped, "orders/0", "is missing");
    }

    @Test
    void sealedSegmentThatWasCutIsNamed() throws Exception {
        Path segment = Folders.last(stopped.resolve("logs/segments"), ".log");
        byte[] bytes = Files.readAllBytes(segment);
        Files.write(segment, Arrays.copyOf(bytes, bytes.length - 1));

        assertFailsAt(stopped, "orders/0", "has " + (bytes.length - 1) + " bytes (expected: " + bytes.length + ")");
    }

    @Test
    void flippedBitOfASealedSegmentIsNamedWithItsPlace() throws Exception {
        flip(Folders.last(stopped.resolve("logs/segments"), ".log"), 100);

        assertFailsAt(stopped, "orders/0", "is damaged at position 0, offset 0");
    }

    @Test
    void openSegmentThatTheJournalHasIsSaidToBeMadeAnew() throws Exception {
        Files.delete(Folders.last(killed.resolve("logs/segments"), ".log"));

        Doctor.Diagnosis diagnosis = examine(killed);

        assertThat(diagnosis.healthy()).isTrue();
        assertThat(of(diagnosis, Status.WARN, "orders/0")).contains("makes it again from the journal");
    }

    @Test
    void journalFileThatIsMissingIsNamed() throws Exception {
        Path journal = Folders.last(killed.resolve("logs/journal"), ".journal");
        Files.delete(journal);

        assertFailsAt(killed, "journal list", journal.getFileName().toString());
    }

    @Test
    void flippedBitInTheJournalIsNamed() throws Exception {
        flip(Folders.last(killed.resolve("logs/journal"), ".journal"), 10);

        assertFailsAt(killed, "journal", "is damaged at position 0");
    }

    @Test
    void metadataThatIsMissingIsNamed() throws Exception {
        Folders.delete(stopped.resolve("metadata"));

        assertFailsAt(stopped, "metadata", "is missing");
    }

    @Test
    void keyOfTheSecretsThatIsMissingIsNamed() throws Exception {
        Files.delete(stopped.resolve("secrets.key"));

        assertFailsAt(stopped, "secrets", "secrets.key is missing");
    }

    @Test
    void metadataWhoseLogWasCutIsNamed() throws Exception {
        Path log = Folders.last(killed.resolve("metadata"), ".log");
        byte[] bytes = Files.readAllBytes(log);
        Files.write(log, Arrays.copyOf(bytes, bytes.length / 2));

        assertFailsAt(killed, "metadata", "metadata");
    }

    @Test
    void earlierLogsAreNamed() throws Exception {
        Folders.delete(stopped.resolve("logs"));
        Folders.copy(killed.resolve("logs"), stopped.resolve("logs"));

        assertFailsAt(stopped, "generation", "the logs are an earlier copy");
    }

    @Test
    void filesThatNoRowNamesAreRemarked() throws Exception {
        Path segment = Folders.last(stopped.resolve("logs/segments"), ".log");
        Files.copy(segment, segment.resolveSibling("00000000000000000900-7.log"));

        Doctor.Diagnosis diagnosis = examine(stopped);

        assertThat(diagnosis.healthy()).isTrue();
        assertThat(of(diagnosis, Status.WARN, "orders/0")).contains("no row names", "00000000000000000900-7.log");
    }

    @Test
    void identityOfOtherLogsIsNamed() throws Exception {
        Files.writeString(stopped.resolve("logs/IDENTITY"), "talos store 1 " + "f".repeat(32) + "\n");

        assertFailsAt(stopped, "identity", "do not belong together");
    }
}
