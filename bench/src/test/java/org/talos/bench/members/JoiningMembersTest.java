// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.thrift.TException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.bench.load.RequestSource.Outcome;
import org.talos.bench.load.SentRequest;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.RenewRequest;

@Timeout(10)
class JoiningMembersTest {
    private static final Credential CREDENTIAL = new Credential("AKBENCH", "a-secret");
    private static final TopicDescription TOPIC =
            new TopicDescription("members", "me#members#1", "me", 3, Duration.ofDays(1));
    private static final Population POPULATION = new Population(1, 2, 3);
    private static final Member FIRST = POPULATION.member(0, 0);
    private static final Member SECOND = POPULATION.member(0, 1);
    private static final long RENEW = 100;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 50); // a monotonic clock may pass over
    private final JoiningMembers joining = new JoiningMembers(
            POPULATION.at(0, 1),
            new MemberBodies(TOPIC),
            JoiningMembers.signers(call -> call.signer("127.0.0.1:1", CREDENTIAL)),
            RENEW,
            nanos::get);

    private static String unit(ConsumeUnit unit) {
        assertThat(unit.getConsumerGroup()).isEqualTo("members-000000");
        assertThat(unit.getTopicTalosResourceName().getTopicTalosResourceName()).isEqualTo("me#members#1");
        return (unit.getWorkerId().equals(FIRST.name()) ? "first " : "second ") + unit.getPartitionIdList();
    }

    /** The call that is sent next, by method, member, and partitions. */
    private String sent() throws TException {
        SentRequest request = new SentRequest(joining.next());
        String method = request.line().replaceAll(".*type=(\\w+) .*", "$1");
        return switch (method) {
            case "lockWorker" ->
                "register " + unit(request.call(method, new LockWorkerRequest()).getConsumeUnit());
            case "queryWorker" ->
                "look at " + request.call(method, new QueryWorkerRequest()).getConsumerGroup();
            case "lockPartition" ->
                "lock " + unit(request.call(method, new LockPartitionRequest()).getConsumeUnit());
            case "renew" ->
                "renew " + unit(request.call(method, new RenewRequest()).getConsumeUnit());
            default -> throw new AssertionError(method);
        };
    }

    @Test
    void membersRegisterLookAndLockTheirPartitionsOneAfterAnother() throws TException {
        List<String> calls = new ArrayList<>();
        while (joining.hasNext()) {
            calls.add(sent());
        }

        assertThat(calls)
                .containsExactly(
                        "register first []",
                        "look at members-000000",
                        "lock first [0]",
                        "lock first [2]",
                        "register second []",
                        "look at members-000000",
                        "lock second [1]");
    }

    @Test
    void joinedMemberIsRenewedWhenItIsDueAndNotBefore() throws TException {
        for (int i = 0; i < 4; i++) {
            assertThat(sent()).isNotEmpty();
        }

        nanos.addAndGet(RENEW - 1);
        assertThat(sent()).isEqualTo("register second []");
        nanos.addAndGet(1);
        assertThat(sent()).isEqualTo("renew first [0, 2]");
        assertThat(sent()).isEqualTo("look at members-000000");
        nanos.addAndGet(RENEW);
        assertThat(sent()).isEqualTo("renew first [0, 2]");
        assertThat(sent()).isEqualTo("lock second [1]");
        assertThat(joining.hasNext()).isFalse();
    }

    private Outcome answered(ByteBuffer answer) throws TException {
        assertThat(sent()).isNotEmpty();
        return joining.answered(answer);
    }

    @Test
    void answersThatSayWhatWasAskedForAreGood() throws TException {
        assertThat(answered(Answers.registered(true))).isEqualTo(Outcome.DONE);
        assertThat(answered(Answers.members(Map.of(FIRST.name(), List.of(), "another", List.of(1)))))
                .isEqualTo(Outcome.DONE);
        assertThat(answered(Answers.locked(List.of(0), List.of()))).isEqualTo(Outcome.DONE);
        assertThat(answered(Answers.locked(List.of(2), List.of()))).isEqualTo(Outcome.DONE);
        nanos.addAndGet(RENEW);
        assertThat(answered(Answers.renewed(true, List.of()))).isEqualTo(Outcome.DONE);
    }

    @Test
    void refusalsMissingMembersAndForeignLocksAreWrong() throws TException {
        assertThat(answered(Answers.registered(false))).isEqualTo(Outcome.WRONG);
        assertThat(answered(Answers.members(Map.of(SECOND.name(), List.of())))).isEqualTo(Outcome.WRONG);
        assertThat(answered(Answers.locked(List.of(), List.of(0)))).isEqualTo(Outcome.WRONG);
        assertThat(answered(Answers.failed(MemberCall.LOCK))).isEqualTo(Outcome.WRONG);
        nanos.addAndGet(RENEW);
        assertThat(answered(Answers.renewed(true, List.of(2)))).isEqualTo(Outcome.WRONG);
    }
}
