// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.cluster.ServerHealth;
import org.talos.server.cluster.zookeeper.Announcements.Release;
import org.talos.server.cluster.zookeeper.Announcements.Releases;

/** The examples of docs/formats/cluster.md are what is written and read. */
class NodeFormatTest {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";

    @Test
    void serverIsAsDocumented() throws Exception {
        Registration server =
                new Registration("0d2a6a36-7f5c-4d62-a2a5-0a2d0c7be9ab", false, "10.0.0.1:8080", "10.0.0.1:8090");

        byte[] bytes = documented(NodeFormat.encode(server));

        assertThat(NodeFormat.decode("/s", bytes, Registration.class)).isEqualTo(server);
    }

    @Test
    void latestProcessIsAsDocumented() throws Exception {
        Registry.Latest latest = new Registry.Latest("0d2a6a36-7f5c-4d62-a2a5-0a2d0c7be9ab");

        byte[] bytes = documented(NodeFormat.encode(latest));

        assertThat(NodeFormat.decode("/p", bytes, Registry.Latest.class)).isEqualTo(latest);
    }

    @Test
    void leaderIsAsDocumented() throws Exception {
        ClusterView.LeaderNode leader = new ClusterView.LeaderNode("10.0.0.1:8080");

        byte[] bytes = documented(NodeFormat.encode(leader));

        assertThat(NodeFormat.decode("/l", bytes, ClusterView.LeaderNode.class)).isEqualTo(leader);
    }

    @Test
    void topicIsAsDocumented() throws Exception {
        TopicOwners owners = new TopicOwners(7, List.of("10.0.0.1:8080", "10.0.0.2:8080", "10.0.0.2:8080", ""));

        byte[] bytes = documented(owners.encode());

        assertThat(TopicOwners.decode("/t", bytes)).isEqualTo(owners);
    }

    @Test
    void releasesAreAsDocumented() throws Exception {
        Releases releases = Releases.NONE.and(List.of(new Release(TOPIC, 3)));

        byte[] bytes = documented(NodeFormat.encode(releases));

        assertThat(NodeFormat.decode("/r", bytes, Releases.class)).isEqualTo(releases);
    }

    @Test
    void healthIsAsDocumented() throws Exception {
        Announcements.Health health = new Announcements.Health(
                "0d2a6a36-7f5c-4d62-a2a5-0a2d0c7be9ab", ServerHealth.of(Map.of("storage", "HDFS does not answer"), 3));

        byte[] bytes = documented(NodeFormat.encode(health));

        assertThat(NodeFormat.decode("/h", bytes, Announcements.Health.class)).isEqualTo(health);
    }

    /** Else it would be written again each time it is looked at. */
    @ParameterizedTest
    @ValueSource(strings = {"x", "x\uD83D\uDD25", "\uD83D\uDD25"})
    void healthWhoseReasonIsLongIsReadAsItWasWritten(String repeated) throws Exception {
        Announcements.Health health =
                new Announcements.Health("p", ServerHealth.of(Map.of("storage", repeated.repeat(10_000)), 0));

        byte[] bytes = NodeFormat.encode(health);

        assertThat(bytes).hasSizeLessThan(5_000);
        assertThat(NodeFormat.decode("/h", bytes, Announcements.Health.class)).isEqualTo(health);
    }

    @Test
    void releasesAreThereOnceAndTheOldestAreForgotten() {
        List<Release> many = IntStream.range(0, 300)
                .mapToObj(partition -> new Release(TOPIC, partition))
                .toList();

        Releases releases = Releases.NONE.and(many).and(List.of(new Release(TOPIC, 100)));

        assertThat(releases.released())
                .hasSize(256)
                .doesNotHaveDuplicates()
                .doesNotContain(new Release(TOPIC, 0))
                .endsWith(new Release(TOPIC, 299), new Release(TOPIC, 100));
        assertThat(NodeFormat.encode(releases)).hasSizeLessThan(30_000);
    }

    @Test
    void tasksAreAsDocumented() throws Exception {
        for (LeaderTask task : List.of(
                LeaderTask.topic(TOPIC, 4), LeaderTask.move(TOPIC, 3, "10.0.0.2:8080"), LeaderTask.rebalance())) {
            byte[] bytes = documented(task.encode());

            assertThat(LeaderTask.decode("/", new NodeData(bytes, new Stat()))).isEqualTo(task);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"v\":2,\"server\":\"a\"} | /node: version 2 (known: 1)",
                "{\"server\":\"a\"} | /node: version null (known: 1)",
                "{\"v\":1} | /node: Missing creator property",
                "{\"v\":1,\"server\":\"a\",\"more\":1} | /node: Unrecognized field \"more\"",
                "[1] | /node: not a JSON object",
                "{\"v\":1, | /node: Unexpected end-of-input",
            })
    void whatIsNotUnderstoodIsRefusedByName(String text, String message) {
        assertThatThrownBy(() ->
                        NodeFormat.decode("/node", text.getBytes(StandardCharsets.UTF_8), ClusterView.LeaderNode.class))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    @Test
    void ownerThatIsNoServerIsRefused() {
        byte[] bytes = "{\"v\":1,\"epoch\":1,\"servers\":[\"a\"],\"owners\":[1]}".getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(() -> TopicOwners.decode("/node", bytes)).hasMessage("/node: owner 1 of 1 servers");
    }

    private static byte[] documented(byte[] bytes) throws IOException {
        Path page = Path.of(System.getProperty("talos.root"), "docs/formats/cluster.md");
        String text = new String(bytes, StandardCharsets.UTF_8);
        assertThat(Files.readAllLines(page)).contains("    " + text);
        return bytes;
    }
}
