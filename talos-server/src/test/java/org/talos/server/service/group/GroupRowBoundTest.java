// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.assertRefused;
import static org.talos.server.service.ControlFixture.caller;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.GroupRecord.Worker;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.call.Caller;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.TopicTalosResourceName;

/** The bytes of a group's row, which each change writes. A service names its users, and may invent long names. */
class GroupRowBoundTest {
    private static final Caller LONG = caller("u".repeat(600_000), true, Set.of(), Set.of());

    @TempDir
    private Path data;

    private ControlFixture server;
    private TopicTalosResourceName topic;
    private String topicId;

    @BeforeEach
    void open() throws Exception {
        server = new ControlFixture(data);
        topic = server.create(ALICE, "orders");
        topicId = server.directory.byName("orders").orElseThrow().topicId();
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void register(Caller caller, String worker) throws Exception {
        server.consumers.lockWorker(caller, new LockWorkerRequest(new ConsumeUnit("group", topic, List.of(), worker)));
    }

    private Map<String, Worker> stored() throws Exception {
        return server.groups.find(topicId, "group").orElseThrow().value().workers();
    }

    @Test
    void rowBeyondItsBoundIsRefusedAndNotWritten() throws Exception {
        assertThatThrownBy(() -> register(LONG, "a"))
                .hasMessageContaining("of metadata (expected: at most 512 KiB): use shorter worker ids");
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> register(LONG, "a"));
        assertThat(server.groups.list(topicId)).isEmpty();

        register(ALICE, "a");
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> register(LONG, "b"));
        assertThat(stored()).containsOnlyKeys("a");
    }

    /** An earlier version may have written it. */
    @Test
    void rowThatIsBeyondItsBoundMayChangeButNotGrow() throws Exception {
        Worker own = new Worker(server.millis(), "alice");
        Worker other = new Worker(server.millis(), "u".repeat(600_000));
        GroupRecord large = new GroupRecord("alice", Map.of(), Map.of("a", own, "b", other), Map.of());
        server.groups.save(topicId, "group", large, 0);

        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> register(ALICE, "c"));
        server.advance(Duration.ofSeconds(10));
        register(ALICE, "a");

        assertThat(stored().get("a")).isNotEqualTo(own);
        assertThat(stored()).containsOnlyKeys("a", "b");
    }

    @Test
    void boundGrowsWithTheMembersThatAGroupMayHave() {
        assertThat(new GroupRows.Bounds(Duration.ofSeconds(30), 100, 1_000).rowBytes())
                .isEqualTo(512 << 10);
        assertThat(new GroupRows.Bounds(Duration.ofSeconds(30), 100, 100_000).rowBytes())
                .isEqualTo(51_200_000);
    }
}
