// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.talos.server.testing.TestServer;

/** A start whose disk is full, although the ballast has been released. */
@Timeout(60)
class StartWithoutRoomTest {
    private static final Path FULL = Path.of("/dev/full");

    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(DiskWatch.class);

    @TempDir
    private Path data;

    private final ListAppender<ILoggingEvent> said = new ListAppender<>();

    @BeforeEach
    void listen() {
        said.start();
        LOGGER.addAppender(said);
    }

    @AfterEach
    void forget() {
        LOGGER.detachAppender(said);
    }

    private boolean saidThatItWaits() {
        return List.copyOf(said.list).stream()
                .anyMatch(each -> each.getFormattedMessage().startsWith("the start waits for room"));
    }

    private static TestServer start(Path data) {
        try {
            return TestServer.start(data, Map.of());
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    private static String metrics(URI management) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(management.resolve("/metrics")).build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }

    @Test
    void startGoesOnOnceThereIsRoom() throws Exception {
        assumeTrue(Files.exists(FULL), "a file that takes no byte");
        Path first = Files.createDirectories(data.resolve("metadata")).resolve("000001.dbtmp");
        Files.createSymbolicLink(first, FULL); // the first file that the database writes
        CompletableFuture<TestServer> starting = CompletableFuture.supplyAsync(() -> start(data));
        await().atMost(Duration.ofSeconds(30)).until(() -> saidThatItWaits() || starting.isDone());
        assertThat(starting).isNotCompletedExceptionally();

        Files.deleteIfExists(first); // the database may have given it up

        try (TestServer server = starting.get(30, TimeUnit.SECONDS)) {
            assertThat(metrics(server.managementUri()))
                    .containsOnlyOnce("# TYPE talos_metadata_call_seconds ")
                    .contains("talos_log_unwritten_bytes");
        }
    }
}
