// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.cli.command.ScriptedCommand.NOTHING;
import static org.talos.client.ScriptedServer.status;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages are deleted only with {@code --execute}, and the preview says how many. */
@Timeout(30)
class EmptyTopicTest {
    private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");
    private static final String DELETED =
            "{\"preview\":true,\"partitions\":[{\"partition\":0,\"from\":0,\"to\":5,\"messages\":5,\"bytes\":200},"
                    + "{\"partition\":1,\"from\":3,\"to\":4,\"messages\":1,\"bytes\":40}]}";

    @AutoClose
    private final ScriptedCommand talos;

    EmptyTopicTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
    }

    private String body() {
        return new String(talos.server.asked().get(0).body(), UTF_8);
    }

    @Test
    void deletionIsShownFirst() {
        talos.server.then(status(200, JSON, DELETED));

        assertThat(talos.call("topic", "empty", "orders")).as(talos.err()).isZero();

        assertThat(talos.out().replaceAll(" +", " ")).isEqualTo("""
                        PARTITION FROM TO MESSAGES BYTES
                         0 0 5 5 200
                         1 3 4 1 40
                        messages: 6, bytes: 240
                        nothing is deleted yet: --execute does it
                        """);
        assertThat(talos.server.asked().get(0).uri()).isEqualTo("/v1/topics/orders/empty");
        assertThat(body()).isEqualTo("{\"before\": \"latest\", \"preview\": true}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--before 5 --partition 1 --partition 0 | {\"offset\": 5, \"partitions\": [0, 1], \"preview\": false}",
                "--before 2026-01-31T12:00:00Z | {\"before\": \"2026-01-31T12:00:00Z\", \"preview\": false}"
            })
    void deletionIsDoneWithExecute(String options, String body) {
        talos.server.then(status(200, JSON, DELETED));

        assertThat(talos.call(("topic empty orders --execute " + options).split(" ")))
                .as(talos.err())
                .isZero();

        assertThat(talos.out()).endsWith("\ndeleted\n");
        assertThat(body()).isEqualTo(body);
    }

    @Test
    void documentIsThatOfRest() {
        talos.server.then(status(200, JSON, DELETED));

        assertThat(talos.call("topic", "empty", "orders", "-o", "json")).isZero();

        assertThat(talos.out()).isEqualTo(DELETED + "\n");
    }

    @Test
    void onlyADeletionThatIsNoPreviewMayHaveHappened() {
        talos.server.otherwise(NOTHING);

        assertThat(talos.call("topic", "empty", "orders")).isEqualTo(1);
        assertThat(talos.call("topic", "empty", "orders", "--execute")).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"earliest", "last"})
    void placeThatKeepsEverythingIsAMistake(String place) {
        assertThat(talos.call("topic", "empty", "orders", "--before", place)).isEqualTo(2);

        assertThat(talos.err()).contains("--before").contains("expected: latest, an offset or a time");
        assertThat(talos.server.asked()).isEmpty();
    }
}
