// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.thrift.TException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.bench.load.RepeatedCalls;
import org.talos.bench.load.RequestSource.Outcome;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;

@Timeout(10)
class SteadyMembersTest {
    private static final Population POPULATION = new Population(2, 2, 3);
    private static final MemberBodies BODIES =
            new MemberBodies(new TopicDescription("members", "me#members#1", "me", 3, Duration.ofDays(1)));

    private final Renewals renewals = new Renewals(calls(MemberCall.RENEW));
    private final GroupLooks looks = new GroupLooks(calls(MemberCall.LOOK), List.of(0, 1, 0), POPULATION);

    private static RepeatedCalls calls(MemberCall call) {
        return new RepeatedCalls(
                call.signer("127.0.0.1:1", new Credential("AKBENCH", "a-secret")), List.of(BODIES.look(0)));
    }

    @Test
    void renewalIsGoodWheneverItKeepsAllLocks() throws TException {
        ByteBuffer good = Answers.renewed(true, List.of());

        assertThat(renewals.answered(good)).isEqualTo(Outcome.DONE);
        assertThat(renewals.answered(good)).isEqualTo(Outcome.DONE);
        assertThat(renewals.answered(Answers.renewed(true, List.of()))).isEqualTo(Outcome.DONE);
    }

    @Test
    void renewalThatLosesALockOrFindsNoMemberIsWrongAlsoBehindGoodOnes() throws TException {
        assertThat(renewals.answered(Answers.renewed(true, List.of()))).isEqualTo(Outcome.DONE);

        assertThat(renewals.answered(Answers.renewed(true, List.of(1)))).isEqualTo(Outcome.WRONG);
        assertThat(renewals.answered(Answers.renewed(false, List.of()))).isEqualTo(Outcome.WRONG);
        assertThat(renewals.answered(Answers.failed(MemberCall.RENEW))).isEqualTo(Outcome.WRONG);
        assertThat(renewals.answered(ByteBuffer.allocate(3))).isEqualTo(Outcome.WRONG);
        assertThat(renewals.answered(Answers.renewed(true, List.of()))).isEqualTo(Outcome.DONE);
    }

    private static Map<String, List<Integer>> whole(int group) {
        Map<String, List<Integer>> members = new HashMap<>();
        for (int place = 0; place < POPULATION.members(); place++) {
            Member member = POPULATION.member(group, place);
            members.put(member.name(), member.partitions());
        }
        return members;
    }

    @Test
    void lookIsGoodWhileItsOwnGroupIsWhole() throws TException {
        for (int group : List.of(0, 1, 0, 0, 1, 0)) {
            assertThat(looks.answered(Answers.members(whole(group)))).isEqualTo(Outcome.DONE);
        }
    }

    @Test
    void firstLookAtAGroupIsComparedWithItsMembersAndNotOnlyMeasured() throws TException {
        assertThat(looks.answered(Answers.members(whole(1))))
                .as("of another group")
                .isEqualTo(Outcome.WRONG);
    }

    @Test
    void lookWithoutAMemberOrALockIsWrongAlsoBehindGoodOnes() throws TException {
        Map<String, List<Integer>> lost = whole(0);
        lost.put(POPULATION.member(0, 0).name(), List.of(0));
        Map<String, List<Integer>> missing = whole(0);
        missing.remove(POPULATION.member(0, 1).name());
        assertThat(looks.answered(Answers.members(whole(0)))).isEqualTo(Outcome.DONE);
        assertThat(looks.answered(Answers.members(whole(1)))).isEqualTo(Outcome.DONE);

        assertThat(looks.answered(Answers.members(lost))).isEqualTo(Outcome.WRONG);
        assertThat(looks.answered(Answers.members(missing))).isEqualTo(Outcome.WRONG);
    }
}
