// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.assertRefused;
import static org.talos.server.service.ControlFixture.partition;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.service.ControlFixture;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.TopicsConsumeUnit;
import org.talos.thrift.TopicsLockWorkerRequest;
import org.talos.thrift.TopicsRenewRequest;
import org.talos.thrift.UpdateOffsetRequest;

/** The ids that workers of the SDKs choose. */
class WorkerIdTest {
    private static final int PARTITIONS = 256;
    private static final String MILLIS_AND_UNIQUE = "1721638191138" + "77e88b3d";

    @TempDir
    private Path data;

    private ControlFixture server;
    private TopicTalosResourceName topic;

    @BeforeEach
    void open() throws Exception {
        server = new ControlFixture(data);
        topic = server.create(ALICE, "orders", PARTITIONS);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private ConsumeUnit unit(String worker) {
        return new ConsumeUnit(
                "group", topic, IntStream.range(0, PARTITIONS).boxed().toList(), worker);
    }

    private void lockAll(String worker) throws Exception {
        assertThat(server.consumers
                        .lockPartition(ALICE, new LockPartitionRequest(unit(worker)))
                        .getSuccessPartitions())
                .hasSize(PARTITIONS);
    }

    private void commit(String worker) throws Exception {
        CheckPoint checkpoint = new CheckPoint("group", partition(topic, 0), 7, worker);
        assertThat(server.consumers
                        .updateOffset(ALICE, new UpdateOffsetRequest(checkpoint))
                        .isSuccess())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10_189_32_151", "2001:db8:85a3:1234:5678:8a2e:370:7334%eth0", "worker-of.some/one@else"})
    void longestIdsOfTheSdksAreTaken(String address) throws Exception {
        String worker = address + "-" + "p".repeat(80) + MILLIS_AND_UNIQUE;

        server.consumers.lockWorker(ALICE, new LockWorkerRequest(unit(worker)));
        lockAll(worker);
        commit(worker);
    }

    @ParameterizedTest
    @CsvSource({"w, 256", "\u00e4, 128", "\u8a9e, 85"})
    void idHasAsManyCharactersAsFit(String character, int most) throws Exception {
        assertRefused(ErrorCode.INVALID_NAME_ERROR, () -> lockAll(character.repeat(most + 1)));
        lockAll(character.repeat(most));
    }

    /** Of 256 characters as they were allowed, the row of one member took 400 KB, written again by each change. */
    @Test
    void idOfCharactersThatRowsEscapeIsRefusedByEachCall() throws Exception {
        String worker = "\u0001".repeat(256);
        Map<String, List<Integer>> held = Map.of(topic.getTopicTalosResourceName(), List.of(0));

        assertThatThrownBy(() -> lockAll(worker))
                .hasMessageContaining("workerId: 1536 bytes as JSON (expected: 1..256, and not blank): choose");
        assertRefused(ErrorCode.INVALID_NAME_ERROR, () -> lockAll(worker));
        assertRefused(ErrorCode.INVALID_NAME_ERROR, () -> commit(worker));
        assertRefused(
                ErrorCode.INVALID_NAME_ERROR,
                () -> server.consumers.lockWorker(ALICE, new LockWorkerRequest(unit(worker))));
        assertRefused(
                ErrorCode.INVALID_NAME_ERROR, () -> server.consumers.renew(ALICE, new RenewRequest(unit(worker))));
        assertRefused(
                ErrorCode.INVALID_NAME_ERROR,
                () -> server.severalTopics.lockWorkerForTopics(
                        ALICE, new TopicsLockWorkerRequest("group", List.of(topic), worker, "")));
        assertRefused(
                ErrorCode.INVALID_NAME_ERROR,
                () -> server.severalTopics.renewForTopics(
                        ALICE, new TopicsRenewRequest(new TopicsConsumeUnit("group", held, worker, ""))));
        String id = server.directory.byName("orders").orElseThrow().topicId();
        assertThat(server.groups.list(id)).isEmpty();
        assertThat(server.offsets.groups(id)).isEmpty();
    }
}
