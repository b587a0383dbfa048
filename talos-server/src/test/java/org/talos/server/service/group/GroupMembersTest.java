// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.name.MemberKind;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.call.Caller;

/** Tests commits of several rows when the metadata fails, or the lock is lost, in the middle. */
class GroupMembersTest {
    private static final Caller ANN = ControlFixture.caller("ann", false, Set.of(), Set.of());

    @TempDir
    private Path data;

    private ControlFixture fixture;
    private GroupOffsets offsets;
    private GroupMembers members;
    private TopicRecord topic;
    private GroupAccess group;
    private MemberId member;

    @BeforeEach
    void open() throws Exception {
        fixture = new ControlFixture(data);
        offsets = fixture.groupOffsets();
        members = new GroupMembers(fixture.groupRows(), offsets, 10, fixture);
        fixture.create(ANN, "orders");
        topic = fixture.directory.byName("orders").orElseThrow();
        member = MemberId.create(MemberKind.REST, "test", 10_000);
        group = new GroupAccess(topic, "shop", ANN.principal(), user -> Optional.empty());
        members.join(group, member);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** The clock is stopped, so the lease is not written again: the second write is the second partition's. */
    @Test
    void failureBehindAStoredCommitIsNotAnsweredAsNothingDone() {
        fixture.store.failAfter(1, false);

        assertThatThrownBy(() -> members.commit(group, member, Map.of(0, 1L, 1, 1L)))
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.effect()).isEqualTo(Effect.UNKNOWN));
    }

    /** Members on another server, which does not know what this one has read. */
    private GroupMembers elsewhere() {
        return new GroupMembers(fixture.groupRows(), offsets, 10, fixture);
    }

    /** The member leaves, and another one takes its partitions. */
    private MemberId replaceMember(GroupMembers at) {
        MemberId other = MemberId.create(MemberKind.REST, "other", 10_000);
        try {
            at.leave(group, member);
            assertThat(at.join(group, other).partitions()).contains(0, 1);
            return other;
        } catch (MetadataException e) {
            throw new IllegalStateException(e);
        }
    }

    private void commitAs(MemberId other, GroupMembers at, Map<Integer, Long> next) {
        try {
            assertThat(at.commit(group, other, next)).isEmpty();
        } catch (MetadataException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Commits both partitions, in order. */
    private List<Integer> commitBoth() throws MetadataException {
        return members.commit(group, member, new TreeMap<>(Map.of(0, 5L, 1, 5L)));
    }

    private Map<Integer, Long> committed() throws MetadataException {
        Map<Integer, Long> committed = new TreeMap<>();
        offsets.list(topic, "shop").forEach((partition, row) -> committed.put(partition, GroupMembers.next(row)));
        return committed;
    }

    @Test
    void commitIsRefusedOnceTheNewHolderHasCommitted() throws Exception {
        GroupMembers elsewhere = elsewhere();
        fixture.store.beforeWrite(
                0, () -> commitAs(replaceMember(elsewhere), elsewhere, new TreeMap<>(Map.of(0, 3L, 1, 4L))));

        assertThat(commitBoth()).containsExactly(0, 1);
        assertThat(committed()).isEqualTo(Map.of(0, 3L, 1, 4L));
    }

    @Test
    void commitIsRefusedFromWhereTheLockIsLostAtThisServer() throws Exception {
        fixture.store.beforeWrite(0, () -> replaceMember(members)); // of the first partition

        assertThat(commitBoth()).containsExactly(1);
        assertThat(committed()).isEqualTo(Map.of(0, 5L));
    }

    /** The row that the commit began with tells nothing about the lock any more. */
    @Test
    void commitIsRefusedFromWhereTheLockIsLostElsewhereWhileAWriteIsSlow() throws Exception {
        GroupMembers elsewhere = elsewhere();
        fixture.store.beforeWrite(0, () -> {
            replaceMember(elsewhere);
            fixture.advance(Duration.ofMillis(1_001));
        });

        assertThat(commitBoth()).containsExactly(1);
        assertThat(committed()).isEqualTo(Map.of(0, 5L));
    }

    /** It was written for 15 seconds. */
    @Test
    void commitIsRefusedFromWhereTheLeaseIsOver() throws Exception {
        fixture.store.beforeWrite(0, () -> fixture.advance(Duration.ofSeconds(16)));

        assertThat(commitBoth()).containsExactly(1);
        assertThat(committed()).isEqualTo(Map.of(0, 5L));
    }

    @Test
    void commitThatStoredEverythingSaysSo() throws Exception {
        assertThat(members.commit(group, member, Map.of(0, 1L, 1, 1L))).isEqualTo(List.of());
        assertThat(offsets.list(topic, "shop")).containsOnlyKeys(0, 1);
    }
}
