// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.status;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ScriptedServer.Asked;

/** Tests the lists that the server searches and sorts. */
@Timeout(30)
class ServedListTest {
    private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");
    private static final String FIRST = "{\"topics\":[{\"name\":\"orders\",\"owner\":\"ann\",\"resourceName\":\"r\","
            + "\"contents\":{\"partitions\":4,\"retentionSeconds\":60,\"messages\":12,\"bytes\":2048,"
            + "\"putsPerSecond\":1.5}}],\"next\":\"2048,orders\",\"total\":2}";
    private static final String SECOND =
            "{\"topics\":[{\"name\":\"ordered\",\"owner\":\"bob\",\"resourceName\":\"r\"}],\"total\":2}";
    private static final String GROUPS = "{\"groups\":[{\"topic\":\"orders\",\"group\":\"shipping\",\"lag\":7},"
            + "{\"topic\":\"clicks\",\"group\":\"reports\"}],\"total\":2,\"ageMillis\":1}";

    @AutoClose
    private final ScriptedCommand talos;

    ServedListTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
    }

    private List<String> asked() {
        return talos.server.asked().stream().map(Asked::uri).toList();
    }

    private String shown() {
        return talos.out().replaceAll(" +", " ");
    }

    @Test
    void topicsAreReadPageByPageInTheOrderOfTheServer() {
        talos.server.then(status(200, JSON, FIRST));
        talos.server.then(status(200, JSON, SECOND));

        assertThat(talos.call("topic", "list", "--contains", "ord a", "--sort", "size"))
                .as(talos.err())
                .isZero();

        assertThat(shown()).isEqualTo("""
                        TOPIC PARTITIONS MESSAGES BYTES PUTS/S OWNER
                        orders 4 12 2048 1.5 ann
                        ordered - - - - bob
                        """);
        String first = "/v1/topics?limit=1000&contains=ord%20a&sort=size&order=desc";
        assertThat(asked()).containsExactly(first, first + "&after=2048%2Corders");
        assertThat(talos.server.asked().get(0).method()).isEqualTo("GET");
        assertThat(talos.server.asked().get(0).header("X-Xiaomi-Request-Digest"))
                .startsWith("v1:");
    }

    @Test
    void topicsAreAJsonDocumentAsRestHasThem() {
        talos.server.then(status(200, JSON, SECOND));

        assertThat(talos.call("topic", "list", "--contains", "ordered", "-o", "json"))
                .as(talos.err())
                .isZero();

        assertThat(talos.out())
                .isEqualTo("{\"topics\":[{\"name\":\"ordered\",\"owner\":\"bob\",\"resourceName\":\"r\"}]}\n");
        assertThat(asked()).containsExactly("/v1/topics?limit=1000&contains=ordered&sort=name&order=asc");
    }

    @Test
    void groupsOfAllTopicsAreSortedByLag() {
        talos.server.then(status(200, JSON, GROUPS));

        assertThat(talos.call("group", "list", "--sort", "lag")).as(talos.err()).isZero();

        assertThat(shown()).isEqualTo("TOPIC GROUP LAG\norders shipping 7\nclicks reports -\n");
        assertThat(asked()).containsExactly("/v1/groups?limit=1000&sort=lag&order=desc");
    }

    @Test
    void partOfAllGroupsIsAnsweredWithAWarning() {
        String part = GROUPS.replace("\"total\":2", "\"total\":2,\"complete\":false");
        talos.server.then(status(200, JSON, part));
        talos.server.then(status(200, JSON, part));

        assertThat(talos.call("group", "list", "--sort", "name"))
                .as(talos.err())
                .isZero();
        assertThat(talos.out())
                .endsWith("warning: the server has no memory to search all groups: some are missing here\n");

        assertThat(talos.call("group", "list", "--sort", "name", "-o", "json"))
                .as(talos.err())
                .isZero();
        assertThat(talos.out()).contains("\"warning\":\"the server has no memory to search all groups");
    }

    @Test
    void groupsOfOneTopicAreSearched() {
        talos.server.then(status(200, JSON, GROUPS));

        assertThat(talos.call("group", "list", "orders", "--contains", "SHIP"))
                .as(talos.err())
                .isZero();

        assertThat(asked()).containsExactly("/v1/groups?limit=1000&topic=orders&contains=SHIP&sort=name&order=asc");
    }

    @Test
    void anotherOrderIsRefusedWithTheRightOnes() {
        assertThat(talos.call("topic", "list", "--sort", "color")).isEqualTo(2);

        assertThat(talos.err()).contains("--sort").contains("name, owner, messages, size, rate");
        assertThat(asked()).isEmpty();
    }
}
