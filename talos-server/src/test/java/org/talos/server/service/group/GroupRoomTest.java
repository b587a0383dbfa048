// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.assertRefused;
import static org.talos.server.service.ControlFixture.caller;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.call.Caller;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.LeaveGroupRequest;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.TopicTalosResourceName;

/** Tests how many groups of one user a topic takes. */
final class GroupRoomTest {
    private static final int MOST = 100; // as the fixture has it
    private static final Caller EVE = caller("eve", false, Set.of(), Set.of());

    @TempDir
    private Path data;

    private ControlFixture server;
    private TopicTalosResourceName topic;

    @BeforeEach
    void open() throws Exception {
        server = new ControlFixture(data);
        topic = server.create(ALICE, "orders");
        server.letGet(ALICE, topic, "eve");
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void join(Caller caller, String group) throws Exception {
        server.consumers.lockWorker(
                caller, new LockWorkerRequest(new ConsumeUnit(group, topic, List.of(), "w-" + group)));
    }

    private void join(Caller caller, String prefix, int groups) throws Exception {
        for (int i = 0; i < groups; i++) {
            join(caller, prefix + i);
        }
    }

    @Test
    void userHasAsManyGroupsAsConfiguredAndNoneMore() throws Exception {
        join(ALICE, "owner", 20);
        join(EVE, "eve", MOST);

        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> join(EVE, "beyond"));
        join(ALICE, "another");
    }

    @Test
    void groupThatIsDeletedMakesRoom() throws Exception {
        join(EVE, "eve", MOST);
        server.consumers.leaveGroup(EVE, new LeaveGroupRequest("eve7", topic, "w-eve7"));
        server.consumers.deleteConsumerGroup(EVE, "eve7", topic);

        join(EVE, "next");
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> join(EVE, "beyond"));
    }

    /** A count reads all groups of the topic, and a refused call costs its sender nothing. */
    @Test
    void groupsAreNotCountedForEachRefusal() throws Exception {
        join(EVE, "eve", MOST);
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> join(EVE, "beyond"));
        int counted = server.store.scannedRows();

        for (int i = 0; i < 50; i++) {
            String group = "beyond" + i;
            assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> join(EVE, group));
        }
        assertThat(server.store.scannedRows()).isEqualTo(counted);

        server.advance(Duration.ofSeconds(1));
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> join(EVE, "beyond"));
        assertThat(server.store.scannedRows()).isGreaterThan(counted);
    }

    @Test
    void deletionMakesRoomAtOnceForAUserWhoWasRefused() throws Exception {
        join(EVE, "eve", MOST);
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> join(EVE, "beyond"));

        server.consumers.leaveGroup(EVE, new LeaveGroupRequest("eve7", topic, "w-eve7"));
        server.consumers.deleteConsumerGroup(EVE, "eve7", topic);

        join(EVE, "beyond");
    }

    /** A count reads all groups of the topic: counted for each group they would be 1,225 rows. */
    @Test
    void groupsAreCountedOnlyNowAndThenWhileThereIsMuchRoom() throws Exception {
        join(EVE, "eve", 50);

        assertThat(server.store.scannedRows()).isLessThan(300);
    }
}
