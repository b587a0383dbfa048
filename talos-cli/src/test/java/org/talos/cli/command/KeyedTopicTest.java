// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.client.ScriptedServer;
import org.talos.common.name.Partitioner;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.CreateTopicResponse;
import org.talos.thrift.PartitionState;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;
import org.talos.thrift.TopicInfo;
import org.talos.thrift.TopicTalosResourceName;

/** Tests how topics' keys are placed: what the user requests, what is shown, and what is done. */
@Timeout(30)
class KeyedTopicTest {
    private static final String KEY = "customer-000017";

    @AutoClose
    private final ScriptedCommand talos;

    KeyedTopicTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
    }

    @ParameterizedTest
    @CsvSource({"'', murmur2", "--partitioner=sdk, sdk", "--partitioner=murmur2, murmur2"})
    void newTopicSpreadsKeysEvenlyUnlessToldOtherwise(String option, String expected) {
        talos.server.then(result(
                new CreateTopicResponse(new TopicInfo("orders", new TopicTalosResourceName("me#orders#1"), "me"))));

        assertThat(talos.call(("topic create orders -o json " + option).strip().split(" ")))
                .as(talos.err())
                .isZero();

        assertThat(talos.server
                        .asked()
                        .get(0)
                        .request(new CreateTopicRequest())
                        .getTopicAttribute()
                        .getAttributes())
                .containsOnly(Map.entry("talos.partitioner", expected));
        assertThat(talos.out()).contains("\"partitioner\"").contains("\"" + expected + "\"");
    }

    @ParameterizedTest
    @EnumSource
    void keyGoesWhereTheTopicSays(Partitioner partitioner) {
        talos.server
                .then(ScriptedCommand.topic(16, Map.of(Partitioner.ATTRIBUTE, partitioner.toString())))
                .then(result(new PutMessageResponse("id")));

        assertThat(talos.call("put", "orders", "a", "--key", KEY)).isZero();

        assertThat(talos.server
                        .asked()
                        .get(1)
                        .request(new PutMessageRequest())
                        .getTopicAndPartition()
                        .getPartitionId())
                .isEqualTo(partitioner.partition(KEY, 16));
    }

    @Test
    void keyIsNotPutIfThePartitionerIsUnknown() {
        talos.server.then(ScriptedCommand.topic(2, Map.of(Partitioner.ATTRIBUTE, "crc32")));

        assertThat(talos.call("put", "orders", "a", "--key", KEY)).isEqualTo(1);

        assertThat(talos.err())
                .contains("the key cannot be placed: talos.partitioner: crc32 (expected: sdk or murmur2)");
        assertThat(talos.server.asked()).hasSize(1);
    }

    @Test
    void describeShowsThePartitionerAndHowUnevenTheTopicIs() {
        ScriptedServer.Answer described = ScriptedCommand.topic(
                2,
                Map.of(Partitioner.ATTRIBUTE, "murmur2"),
                new PartitionState(0, 5, 9, 5, 100),
                new PartitionState(1, 0, 14, 15, 900));
        talos.server.then(described).then(described).then(described).then(described);

        assertThat(talos.call("topic", "describe", "orders")).isZero();
        assertThat(talos.out())
                .contains("partitioner    murmur2")
                .contains("skew           partition 1 has 75.0 % of the messages, the mean is 50.0 %")
                .contains("               partition 1 has 90.0 % of the bytes, the mean is 50.0 %");

        assertThat(talos.call("topic", "describe", "orders", "-o", "json")).isZero();
        assertThat(talos.out().replaceAll("\\s", ""))
                .contains("\"partitioner\":\"murmur2\"")
                .contains("\"skew\":{\"messages\":{\"partition\":1,\"share\":0.75,\"mean\":0.5},"
                        + "\"bytes\":{\"partition\":1,\"share\":0.9,\"mean\":0.5}}")
                .contains("{\"partition\":0,\"start\":5,\"end\":10,\"messages\":5,\"bytes\":100}");
    }

    @Test
    void emptyTopicHasNoSkew() {
        ScriptedServer.Answer described = ScriptedCommand.topic(1, Map.of(), new PartitionState(0, 0, -1, 0, 0));
        talos.server.then(described).then(described);

        assertThat(talos.call("topic", "describe", "orders")).isZero();

        assertThat(talos.out()).contains("partitioner    sdk").doesNotContain("skew");
    }
}
