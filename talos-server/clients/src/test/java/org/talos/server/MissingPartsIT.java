// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.testing.Folders;
import org.talos.server.testing.TestServer;

/** A data directory of which a part was lost while its server was down: nothing acknowledged is gone without a word. */
@Timeout(120)
class MissingPartsIT {
    private static final int MESSAGES = 88;

    @TempDir
    private static Path left; // by a server; each test changes a copy

    @TempDir
    private Path folder;

    private Path data;

    /** Copies the directory of an idle server, as a kill would leave it. */
    @BeforeAll
    static void killedServer() throws Exception {
        Path live = left.resolve("live");
        try (TestServer server = TestServer.start(live, Map.of())) {
            TopicDescription topic = server.admin().createTopic(NewTopic.of("orders", 1));
            put(server, topic, "first", MESSAGES);
            Folders.copy(live, left.resolve("killed"));
        }
    }

    @BeforeEach
    void copied() throws Exception {
        data = folder.resolve("data");
        Folders.copy(left.resolve("killed"), data);
    }

    private static void put(TestServer server, TopicDescription topic, String name, int count) throws Exception {
        SimpleProducer producer =
                new SimpleProducer(new TalosClient(server.endpoint()).once(), topic, Compression.NONE);
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(OutgoingMessage.of(name + "-" + i));
        }
        producer.put(0, messages);
    }

    private static List<String> texts(TestServer server, TopicDescription topic) throws Exception {
        SimpleConsumer consumer = new SimpleConsumer(new TalosClient(server.endpoint()).once(), topic, 0);
        List<String> texts = new ArrayList<>();
        for (FetchedMessage message : consumer.fetch(SimpleConsumer.EARLIEST, 1_000)) {
            assertThat(message.offset()).isEqualTo(texts.size());
            texts.add(message.text());
        }
        return texts;
    }

    private Path only(String directory, String suffix) throws IOException {
        return Folders.last(data.resolve(directory), suffix);
    }

    /** The directory is as it was, and a server started on it has every message. */
    private void allIsThere() throws Exception {
        try (TestServer server = TestServer.start(data, Map.of())) {
            TopicDescription topic = server.admin().describeTopic("orders");
            put(server, topic, "second", 1);

            assertThat(texts(server, topic))
                    .hasSize(MESSAGES + 1)
                    .startsWith("first-0")
                    .endsWith("second-0");
        }
    }

    @Test
    void journalFileThatIsMissingIsNamedAtTheStart() throws Exception {
        Path journal = only("logs/journal", ".journal");
        Path away = folder.resolve("away");
        Files.move(journal, away);

        assertThatThrownBy(() -> TestServer.start(data, Map.of()))
                .hasMessageContaining(journal.getFileName().toString())
                .hasMessageContaining("missing");

        Files.move(away, journal);
        allIsThere();
    }

    @Test
    void journalThatIsMissingIsNamedAtTheStart() throws Exception {
        Path journal = data.resolve("logs/journal");
        Path away = folder.resolve("away");
        Files.move(journal, away);

        assertThatThrownBy(() -> TestServer.start(data, Map.of())).hasMessageContaining(journal + " ");

        assertThat(journal).doesNotExist();
        Files.move(away, journal);
        allIsThere();
    }

    @Test
    void segmentsThatAreMissingAreNamedAtTheStart() throws Exception {
        Path segments = data.resolve("logs/segments");
        Path away = folder.resolve("away");
        Files.move(segments, away);

        assertThatThrownBy(() -> TestServer.start(data, Map.of())).hasMessageContaining(segments + " ");

        assertThat(segments).doesNotExist();
        Files.move(away, segments);
        allIsThere();
    }

    @Test
    void openSegmentThatIsMissingIsMadeAnewFromTheJournal() throws Exception {
        Files.delete(only("logs/segments", ".log"));

        allIsThere();
    }

    @Test
    void metadataThatIsMissingIsNamedAtTheStartAndNotBegunAnew() throws Exception {
        Path metadata = data.resolve("metadata");
        String credentials = Files.readString(data.resolve("admin.credentials"));
        Path away = folder.resolve("away");
        Files.move(metadata, away);

        assertThatThrownBy(() -> TestServer.start(data, Map.of())).hasMessageContaining(metadata + " ");

        assertThat(metadata).doesNotExist();
        assertThat(data.resolve("admin.credentials")).hasContent(credentials);
        Files.move(away, metadata);
        allIsThere();
    }

    @Test
    void metadataWhoseLogWasCutIsRefusedAndNotChanged() throws Exception {
        Path log = only("metadata", ".log");
        byte[] whole = Files.readAllBytes(log);
        String credentials = Files.readString(data.resolve("admin.credentials"));
        for (int kept : new int[] {0, whole.length / 10, whole.length / 2, whole.length * 9 / 10}) {
            Files.write(log, Arrays.copyOf(whole, kept));

            assertThatThrownBy(() -> TestServer.start(data, Map.of()))
                    .as("%d of %d bytes", kept, whole.length)
                    .hasMessageContaining("metadata");
            assertThat(data.resolve("admin.credentials")).hasContent(credentials);
        }

        Files.write(log, whole);
        allIsThere();
    }

    @Test
    void metadataOfAnEarlierDayIsRefused() throws Exception {
        Path earlier = folder.resolve("earlier");
        Folders.copy(data.resolve("metadata"), earlier);
        allIsThere();
        Folders.delete(data.resolve("metadata"));
        Folders.copy(earlier, data.resolve("metadata"));

        assertThatThrownBy(() -> TestServer.start(data, Map.of())).hasMessageContaining("metadata");
    }

    @Test
    void logsOfAnEarlierDayAreRefused() throws Exception {
        Path earlier = folder.resolve("earlier");
        Folders.copy(data.resolve("logs"), earlier);
        allIsThere();
        Folders.delete(data.resolve("logs"));
        Folders.copy(earlier, data.resolve("logs"));

        assertThatThrownBy(() -> TestServer.start(data, Map.of())).hasMessageContaining("the logs are an earlier copy");
    }
}
