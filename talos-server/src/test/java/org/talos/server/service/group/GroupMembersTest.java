// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.name.MemberKind;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.call.Caller;

/** Tests the answers when the metadata fails in the middle of several rows. */
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
        offsets = new GroupOffsets(fixture.directory, fixture.offsets);
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

    @Test
    void commitThatStoredEverythingSaysSo() throws Exception {
        assertThat(members.commit(group, member, Map.of(0, 1L, 1, 1L))).isEqualTo(List.of());
        assertThat(offsets.list(topic, "shop")).containsOnlyKeys(0, 1);
    }
}
