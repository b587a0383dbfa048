// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.cli.command.ScriptedCommand.NOTHING;
import static org.talos.client.ScriptedServer.done;
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

/** Several topics are shown before they are changed, and each has a result. */
@Timeout(30)
class SeveralTopicsTest {
    private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");
    private static final String TOPICS = "{\"topics\":[{\"name\":\"test-1\",\"owner\":\"me\",\"resourceName\":\"r\","
            + "\"contents\":{\"partitions\":1,\"retentionSeconds\":60,\"messages\":12,\"bytes\":2048}},"
            + "{\"name\":\"test-2\",\"owner\":\"me\",\"resourceName\":\"r\"},"
            + "{\"name\":\"testing\",\"owner\":\"me\",\"resourceName\":\"r\"}],\"total\":3}";

    @AutoClose
    private final ScriptedCommand talos;

    SeveralTopicsTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
    }

    @ParameterizedTest
    @CsvSource({"topic delete test-*", "topic alter test-* --retention 2h", "topic grant test-* ann put"})
    void topicsOfAPatternAreShownFirst(String line) {
        talos.server.then(status(200, JSON, TOPICS));

        assertThat(talos.call(line.split(" "))).as(talos.err()).isZero();

        assertThat(talos.out().replaceAll(" +", " ")).isEqualTo("""
                        TOPIC MESSAGES BYTES OWNER
                        test-1 12 2048 me
                        test-2 - - me
                        topics: 2; nothing is changed yet: --execute does it
                        """);
        assertThat(talos.server.asked()).hasSize(1);
        assertThat(talos.server.asked().get(0).uri()).contains("prefix=test-");
    }

    @ParameterizedTest
    @CsvSource({"--execute", "--yes"})
    void eachIsDeletedWithTheOption(String option) {
        talos.server
                .then(status(200, JSON, TOPICS))
                .then(ScriptedCommand.topic(1))
                .then(done())
                .then(ScriptedCommand.topic(1))
                .then(done());

        assertThat(talos.call("topic", "delete", "test-2,testing", option))
                .as(talos.err())
                .isZero();

        assertThat(talos.out()).isEqualTo("deleted test-2\ndeleted testing\n");
    }

    @Test
    void failureOfOneLeavesTheOthersAndIsSaid() {
        talos.server
                .then(status(200, JSON, TOPICS))
                .then(ScriptedCommand.topic(1))
                .then(done())
                .otherwise(NOTHING);

        assertThat(talos.call("topic", "delete", "test-*", "--execute")).isEqualTo(5);

        assertThat(talos.out()).startsWith("deleted test-1\nfailed test-2: CONNECTION");
        assertThat(talos.err()).contains("1 of 2 topics failed, the first by CONNECTION");
    }

    @Test
    void nameThatNoTopicHasIsSaidBeforeAnythingIsChanged() {
        talos.server.then(status(200, JSON, TOPICS));

        assertThat(talos.call("topic", "delete", "test-1,tset-2", "--execute")).isEqualTo(3);

        assertThat(talos.err()).startsWith("talos: no topic is named tset-2: ");
        assertThat(talos.server.asked()).hasSize(1);
    }

    @Test
    void documentHasAResultForEach() {
        talos.server
                .then(status(200, JSON, TOPICS))
                .then(ScriptedCommand.topic(1))
                .then(done());

        assertThat(talos.call("topic", "delete", "test-1,", "--execute", "-o", "json"))
                .as(talos.err())
                .isZero();

        assertThat(talos.out())
                .isEqualTo("{\"preview\":false,\"topics\":[{\"topic\":\"test-1\",\"done\":\"deleted\"}]}\n");
    }

    @Test
    void copyAndRecreationAreCallsOfRest() {
        String topic = "{\"name\":\"copy\",\"partitions\":1}";
        talos.server.then(status(201, JSON, topic)).then(status(200, JSON, topic));

        assertThat(talos.call("topic", "copy", "orders", "copy"))
                .as(talos.err())
                .isZero();
        assertThat(talos.call("topic", "recreate", "orders", "--execute"))
                .as(talos.err())
                .isZero();

        assertThat(talos.out()).isEqualTo("created copy like orders\nrecreated orders\n");
        assertThat(talos.server.asked().get(0).uri()).isEqualTo("/v1/topics/orders/copy");
        assertThat(new String(talos.server.asked().get(0).body(), UTF_8)).isEqualTo("{\"name\":\"copy\"}");
        assertThat(talos.server.asked().get(1).uri()).isEqualTo("/v1/topics/orders/recreate");
    }
}
