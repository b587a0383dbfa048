// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.BOB;
import static org.talos.server.service.ControlFixture.assertRefused;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.service.ControlFixture;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UnlockPartitionRequest;

/** Clients that change their groups in a loop. */
class RowWritesTest {
    private static final long BURST_BYTES = RowWrites.BYTES_PER_SECOND * RowWrites.BURST.toSeconds();

    @TempDir
    private Path data;

    private ControlFixture server;
    private TopicTalosResourceName topic;

    @BeforeEach
    void open() throws Exception {
        server = new ControlFixture(data);
        topic = server.create(ALICE, "orders");
    }

    @AfterEach
    void close() {
        server.close();
    }

    private ConsumeUnit unit(Integer... partitions) {
        return new ConsumeUnit("group", topic, List.of(partitions), "worker");
    }

    private void lock(Integer... partitions) throws Exception {
        server.consumers.lockPartition(ALICE, new LockPartitionRequest(unit(partitions)));
    }

    private void unlock(Integer... partitions) throws Exception {
        server.consumers.unlockPartition(ALICE, new UnlockPartitionRequest(unit(partitions)).setStaysMember(true));
    }

    private boolean renew(Integer... partitions) throws Exception {
        return server.consumers.renew(ALICE, new RenewRequest(unit(partitions))).isHeartbeatSuccess();
    }

    private List<Integer> held() throws Exception {
        String id = server.directory.byName("orders").orElseThrow().topicId();
        return List.copyOf(
                server.groups.find(id, "group").orElseThrow().value().locks().keySet());
    }

    /** Takes an hour's writes from the user's rate. */
    private void useUp() {
        server.groupWrites.take(ALICE.principal().userId(), Long.MAX_VALUE);
    }

    @Test
    void userWritesSoMuchAtOnceAndThenAtTheRate() {
        String user = ALICE.principal().userId();
        server.groupWrites.take(user, BURST_BYTES);
        server.groupWrites.take(user, RowWrites.BYTES_PER_SECOND);

        assertRefused(ErrorCode.THROTTLE_REJECT_ERROR, () -> server.groupWrites.take(user, 1));
        server.groupWrites.take(BOB.principal().userId(), 1);
        server.advance(Duration.ofSeconds(1));
        server.groupWrites.take(user, 1);
    }

    @Test
    void loopOfLocksIsRefusedAndReleasesAreNot() throws Exception {
        lock(0, 1);
        useUp();

        unlock(0);
        assertRefused(ErrorCode.THROTTLE_REJECT_ERROR, () -> lock(0));
        assertRefused(ErrorCode.THROTTLE_REJECT_ERROR, () -> renew(0));
        assertThat(held()).containsExactly(1);

        server.advance(Duration.ofHours(1));
        lock(0);
        assertThat(held()).containsExactly(0);
    }

    @Test
    void loopOfRenewalsOfOtherPartitionsEachTimeIsRefused() throws Exception {
        lock(0, 1);
        renew(0);
        useUp();

        assertRefused(ErrorCode.THROTTLE_REJECT_ERROR, () -> renew(1));
    }

    /** Otherwise a user with very many groups would lose partitions. */
    @Test
    void renewalThatIsDueIsNeverRefused() throws Exception {
        lock(0);
        useUp();
        server.advance(Duration.ofSeconds(20)); // of a lease of 30 s that is written ahead by half

        assertThat(renew(0)).isTrue();
        server.advance(Duration.ofSeconds(30));

        assertThat(renew(0)).isTrue();
        assertThat(held()).containsExactly(0);
    }

    @Test
    void changeThatMeetsThatOfAnotherServerCountsOnce() throws Exception {
        String user = ALICE.principal().userId();
        String id = server.directory.byName("orders").orElseThrow().topicId();
        server.groupWrites.take(user, BURST_BYTES - 1); // one more change passes
        server.store.beforeWrite(0, () -> {
            try {
                GroupRecord other = new GroupRecord(user, Map.of(), Map.of(), Map.of());
                assertThat(server.groups.save(id, "group", other, 0)).isPresent();
            } catch (MetadataException e) {
                throw new IllegalStateException(e);
            }
        });

        lock(0);

        assertThat(held()).containsExactly(0);
        assertRefused(ErrorCode.THROTTLE_REJECT_ERROR, () -> lock(1));
    }

    /** A worker that joins by a renewal and leaves by a release could do both in a loop. */
    @Test
    void renewalThatMakesAWorkerAMemberCounts() throws Exception {
        server.consumers.lockWorker(ALICE, new LockWorkerRequest(new ConsumeUnit("group", topic, List.of(), "other")));
        useUp();

        assertRefused(ErrorCode.THROTTLE_REJECT_ERROR, () -> renew(0));
    }
}
