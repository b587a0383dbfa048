// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.admin.TalosAdmin;
import org.talos.server.testing.ServerProcess;
import org.talos.server.testing.TestServer;

/** Tests the log of a server, in both forms. */
@Tag("full") // processes
@Tag("servers")
@Timeout(60)
class LogFormatIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private List<String> logOf(Map<String, String> settings) throws Exception {
        Path data = directory.resolve("data");
        try (ServerProcess server = ServerProcess.start(data, settings)) {
            HttpRequest withoutKey = HttpRequest.newBuilder(server.endpoint().resolve("/v1/topics"))
                    .header("X-Request-Id", "my-request-17")
                    .build();
            HttpClient client = HttpClient.newHttpClient();
            assertThat(client.send(withoutKey, BodyHandlers.discarding()).statusCode())
                    .isEqualTo(401);
            new TalosAdmin(new TalosClient(TestServer.endpoint(server.endpoint(), data)).once()).listTopics();
            assertThat(server.stop()).as("exit code after SIGTERM").isIn(0, 143);
        }
        return Files.readAllLines(directory.resolve("server.log"));
    }

    @Test
    void jsonLogHasAnObjectALineAndTheRequestsIdInIt() throws Exception {
        List<JsonNode> requests = new ArrayList<>();
        for (String line : logOf(Map.of("TALOS_LOGFORMAT", "json", "TALOS_LOGREQUESTS", "INFO"))) {
            JsonNode entry = JSON.readTree(line);
            assertThat(entry.get("level").textValue()).as(line).isNotEmpty();
            if (entry.get("loggerName").textValue().equals("org.talos.requests")) {
                requests.add(entry);
            }
        }

        assertThat(requests).hasSizeGreaterThanOrEqualTo(2);
        assertThat(requests.get(0).get("kvpList").toString())
                .contains("\"request\":\"my-request-17\"", "\"path\":\"/v1/topics\"", "\"status\":\"401\"");
        String call = requests.get(1).get("kvpList").toString();
        assertThat(call).contains("/v1/api/topic", "\"status\":\"200\"").containsPattern("\"request\":\"[0-9a-f]{8}\"");
    }

    @Test
    void serverWithoutALogDoesNotStart() throws Exception {
        Path file = Files.createFile(directory.resolve("file")).resolve("talos.log");

        assertThatThrownBy(() -> logOf(Map.of("TALOS_LOGFILE", file.toString())))
                .message()
                .contains("talos: the log cannot be written: ", file.toString())
                .doesNotContain("Exception in thread");
    }

    @Test
    void plainLogHasNoLineForRequestsUnlessAskedTo() throws Exception {
        List<String> log = logOf(Map.of());
        assertThat(log).isNotEmpty().noneMatch(line -> line.contains("my-request-17"));

        List<String> more = logOf(Map.of("TALOS_LOGREQUESTS", "INFO"));
        assertThat(more).anyMatch(line -> line.contains("answered") && line.contains("request=my-request-17"));
    }
}
