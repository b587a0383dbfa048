// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.service.ControlFixture.ADMIN;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.BOB;
import static org.talos.server.service.ControlFixture.assertRefused;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.PartitionFigures;
import org.talos.server.service.ControlFixture;
import org.talos.thrift.AutoApplyQuotaRequest;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.PartitionQuotaInfo;
import org.talos.thrift.QueryTopicQuotaRequest;
import org.talos.thrift.RevokeQuotaRequest;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UserQuota;

class QuotaCallsTest {
    @TempDir
    private Path data;

    private ControlFixture fixture;

    @BeforeEach
    void open() throws Exception {
        fixture = new ControlFixture(data);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static BaseQuota space(long bytes) {
        return new BaseQuota(bytes);
    }

    private static UserQuota topics(int number) {
        UserQuota quota = new UserQuota(space(Long.MAX_VALUE));
        quota.setTopicNumberQuota(number);
        return quota;
    }

    private TopicRecord record(TopicTalosResourceName name) {
        return fixture.directory
                .byResourceName(name.getTopicTalosResourceName())
                .orElseThrow();
    }

    private static TopicAttribute partitions(int number) {
        TopicAttribute attribute = new TopicAttribute();
        attribute.setPartitionNumber(number);
        return attribute;
    }

    @Test
    void usersQuotaIsSetShownAndDeletedByAdministratorsOnly() throws Exception {
        assertRefused(
                ErrorCode.PERMISSION_DENIED_ERROR, () -> fixture.quotaCalls.setUserQuota(ALICE, "alice", topics(2)));
        assertRefused(ErrorCode.PERMISSION_DENIED_ERROR, () -> fixture.quotaCalls.listUserQuota(ALICE));
        assertRefused(ErrorCode.QUOTA_NOT_EXIST, () -> fixture.quotaCalls.queryUserQuota(ALICE));

        fixture.quotaCalls.setUserQuota(ADMIN, "alice", topics(2));

        assertThat(fixture.quotaCalls.queryUserQuota(ALICE).getUserQuota().getTopicNumberQuota())
                .isEqualTo(2);
        assertThat(fixture.quotaCalls.listUserQuota(ADMIN).getUserQuotaList()).containsOnlyKeys("alice");
        assertRefused(ErrorCode.PERMISSION_DENIED_ERROR, () -> fixture.quotaCalls.deleteUserQuota(BOB, "alice"));
        fixture.quotaCalls.deleteUserQuota(ADMIN, "alice");
        assertRefused(ErrorCode.QUOTA_NOT_EXIST, () -> fixture.quotaCalls.deleteUserQuota(ADMIN, "alice"));
    }

    @Test
    void noMoreTopicsThanAllowed() throws Exception {
        fixture.quotaCalls.setUserQuota(ADMIN, "alice", topics(1));
        TopicTalosResourceName first = fixture.create(ALICE, "first");

        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.create(ALICE, "second"));
        assertRefused(ErrorCode.TOPIC_EXIST, () -> fixture.create(ALICE, "first"));
        fixture.create(BOB, "bobs");
        fixture.topics.deleteTopic(ALICE, first);
        fixture.create(ALICE, "second");
    }

    @Test
    void nameThatAnotherServerHasFreedIsNoWayAroundTheQuota() throws Exception {
        fixture.quotaCalls.setUserQuota(ADMIN, "bob", topics(1));
        TopicRecord freed = record(fixture.create(ALICE, "freed"));
        TopicRecord first = record(fixture.create(BOB, "first"));
        fixture.rows.delete(freed); // by another server

        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.create(BOB, "freed"));

        fixture.rows.delete(first);
        fixture.create(BOB, "first"); // its owner has room again
    }

    @Test
    void whereQuotasAreRequiredWhoHasNoneMakesNoTopic() throws Exception {
        fixture.close();
        fixture = new ControlFixture(data.resolve("required"), true);

        assertRefused(ErrorCode.QUOTA_NOT_EXIST, () -> fixture.create(ALICE, "hers"));
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.create(ALICE, "CL1/org"));
        fixture.create(ADMIN, "admins");
        fixture.quotaCalls.setUserQuota(ADMIN, "alice", topics(1));
        fixture.create(ALICE, "hers");
    }

    @Test
    void orgsPartitionsAreAppliedForApprovedAndHeld() throws Exception {
        PartitionQuotaInfo asked = new PartitionQuotaInfo("CL1", 12);
        asked.setApplyReason("growth");
        assertRefused(ErrorCode.PERMISSION_DENIED_ERROR, () -> fixture.quotaCalls.applyQuota(BOB, asked));
        fixture.quotaCalls.applyQuota(ALICE, asked);
        fixture.create(ALICE, "CL1/before"); // an application alone bounds nothing

        assertThat(fixture.quotaCalls.listPendingQuota(ALICE).getPendingQuotaList())
                .singleElement()
                .satisfies(info -> assertThat(info.getApplyReason()).isEqualTo("growth"));
        assertThat(fixture.quotaCalls.listPendingQuota(ALICE).isTalosAdmin()).isFalse();
        assertThat(fixture.quotaCalls.listPendingQuota(BOB).getPendingQuotaList())
                .isEmpty();
        assertRefused(ErrorCode.PERMISSION_DENIED_ERROR, () -> fixture.quotaCalls.approveQuota(ALICE, asked));
        assertThat(fixture.quotaCalls.approveQuota(ADMIN, asked).getPendingQuotaList())
                .isEmpty();

        assertThat(fixture.quotaCalls.listQuota(ALICE).getApprovedTotalQuota()).isEqualTo(12);
        assertThat(fixture.quotaCalls.listQuota(ALICE).getQuotaList().get(0).getUsedOuota())
                .isEqualTo(8);
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.create(ALICE, "CL1/eight"));
        TopicTalosResourceName small = fixture.create(ALICE, "CL1/small", partitions(2));
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.topics.changeTopicAttribute(ALICE, small, partitions(5)));
        fixture.topics.changeTopicAttribute(ALICE, small, partitions(4));

        fixture.quotaCalls.revokeQuota(ADMIN, new RevokeQuotaRequest(asked));
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.create(ALICE, "CL1/eight"));
        assertRefused(
                ErrorCode.QUOTA_NOT_EXIST, () -> fixture.quotaCalls.revokeQuota(ADMIN, new RevokeQuotaRequest(asked)));
    }

    @Test
    void revokingAnApplicationLeavesWhatIsApproved() throws Exception {
        PartitionQuotaInfo ten = new PartitionQuotaInfo("CL1", 10);
        fixture.quotaCalls.autoApplyQuota(ALICE, new AutoApplyQuotaRequest(ten));
        PartitionQuotaInfo more = new PartitionQuotaInfo("CL1", 11);
        assertRefused(
                ErrorCode.QUOTA_AUTO_APPROVE_FAILED,
                () -> fixture.quotaCalls.autoApplyQuota(ALICE, new AutoApplyQuotaRequest(more)));
        fixture.quotaCalls.applyQuota(ALICE, more);

        fixture.quotaCalls.revokeQuota(ADMIN, new RevokeQuotaRequest(more));

        assertThat(fixture.quotaCalls.listQuota(ALICE).getApprovedTotalQuota()).isEqualTo(10);
        assertThat(fixture.quotaCalls.listPendingQuota(ADMIN).getPendingQuotaList())
                .isEmpty();
    }

    @Test
    void revokingTwiceLeavesAnOrgBounded() throws Exception {
        PartitionQuotaInfo asked = new PartitionQuotaInfo("CL1", 10);
        fixture.quotaCalls.applyQuota(ALICE, asked);
        fixture.quotaCalls.approveQuota(ADMIN, asked);
        fixture.quotaCalls.applyQuota(ALICE, new PartitionQuotaInfo("CL1", 20));

        fixture.quotaCalls.revokeQuota(ADMIN, new RevokeQuotaRequest(asked)); // the application
        fixture.quotaCalls.revokeQuota(ADMIN, new RevokeQuotaRequest(asked)); // what was approved

        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.create(ALICE, "CL1/one", partitions(1)));
        fixture.quotaCalls.applyQuota(ALICE, asked);
        fixture.quotaCalls.approveQuota(ADMIN, asked);
        fixture.create(ALICE, "CL1/one", partitions(1));
    }

    /** Two administrators refuse one application, or two take the quota back: the second finds nothing to do. */
    @Test
    void whoNamesWhatIsToBeRevokedNeverRevokesTheOther() throws Exception {
        PartitionQuotaInfo asked = new PartitionQuotaInfo("CL1", 10);
        fixture.quotaCalls.autoApplyQuota(ALICE, new AutoApplyQuotaRequest(asked));
        fixture.quotaCalls.applyQuota(ALICE, new PartitionQuotaInfo("CL1", 20));
        RevokeQuotaRequest refuse = new RevokeQuotaRequest(asked).setApplication(true);
        RevokeQuotaRequest revokeApproval = new RevokeQuotaRequest(asked).setApplication(false);

        fixture.quotaCalls.revokeQuota(ADMIN, refuse);
        assertRefused(ErrorCode.QUOTA_NOT_EXIST, () -> fixture.quotaCalls.revokeQuota(ADMIN, refuse));
        assertThat(fixture.quotaCalls.listQuota(ALICE).getApprovedTotalQuota()).isEqualTo(10);

        fixture.quotaCalls.applyQuota(ALICE, new PartitionQuotaInfo("CL1", 30));
        fixture.quotaCalls.revokeQuota(ADMIN, revokeApproval);
        assertRefused(ErrorCode.QUOTA_NOT_EXIST, () -> fixture.quotaCalls.revokeQuota(ADMIN, revokeApproval));
        assertThat(fixture.quotaCalls.listPendingQuota(ADMIN).getPendingQuotaList())
                .singleElement()
                .satisfies(waiting -> assertThat(waiting.getTotalQuota()).isEqualTo(30));
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.create(ALICE, "CL1/one", partitions(1)));
    }

    @Test
    void applyingForLessThanIsApprovedTakesNothingAway() throws Exception {
        PartitionQuotaInfo thousand = new PartitionQuotaInfo("CL1", 1_000);
        fixture.quotaCalls.applyQuota(ALICE, thousand);
        fixture.quotaCalls.approveQuota(ADMIN, thousand);
        fixture.quotaCalls.applyQuota(ALICE, new PartitionQuotaInfo("CL1", 2_000));

        fixture.quotaCalls.autoApplyQuota(ALICE, new AutoApplyQuotaRequest(new PartitionQuotaInfo("CL1", 5)));

        assertThat(fixture.quotaCalls.listQuota(ALICE).getApprovedTotalQuota()).isEqualTo(1_000);
        assertThat(fixture.quotaCalls.listPendingQuota(ALICE).getPendingQuotaList())
                .singleElement()
                .satisfies(waiting -> assertThat(waiting.getTotalQuota()).isEqualTo(2_000));
    }

    @Test
    void topicsQuotaIsTheOwnersAndGoesWithTheTopic() throws Exception {
        CreateTopicRequest create = new CreateTopicRequest("full", partitions(1));
        create.setTopicQuota(space(100));
        TopicTalosResourceName name =
                fixture.topics.createTopic(ALICE, create).getTopicInfo().getTopicTalosResourceName();
        fixture.partitions.figures.put(0, new PartitionFigures(0, 9, 9, 60, 9, 60));

        BaseQuota shown = fixture.quotaCalls
                .queryTopicQuota(ALICE, new QueryTopicQuotaRequest(name))
                .getTopicQuota();
        assertThat(shown.getSpaceQuota()).isEqualTo(100);
        assertThat(shown.getUsedSpace()).isEqualTo(60);
        assertThat(shown.getRemainingSpace()).isEqualTo(40);
        assertThat(fixture.views.describeTopic(ALICE, "full").getTopicQuota()).isEqualTo(shown);
        assertRefused(ErrorCode.PERMISSION_DENIED_ERROR, () -> fixture.quotaCalls.setTopicQuota(BOB, name, space(1)));

        fixture.topics.deleteTopic(ALICE, name);
        fixture.background.forEach(Runnable::run);
        assertThat(Quotas.load(fixture.store).isEmpty()).isTrue();
    }

    @Test
    void fullTopicTakesNoPutsUntilThereIsRoom() throws Exception {
        TopicTalosResourceName name = fixture.create(ALICE, "full", partitions(1));
        fixture.quotaCalls.setTopicQuota(ALICE, name, space(100));
        fixture.partitions.figures.put(0, new PartitionFigures(0, 9, 9, 100, 9, 100));
        fixture.space.refresh();
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.gate.put("alice", record(name), 1));

        fixture.partitions.figures.put(0, new PartitionFigures(5, 9, 4, 50, 9, 100));
        fixture.space.refresh();
        fixture.gate.put("alice", record(name), 1);

        fixture.quotaCalls.setUserQuota(ADMIN, "alice", new UserQuota(space(50)));
        fixture.space.refresh();
        assertRefused(ErrorCode.QUOTA_EXCEEDED, () -> fixture.gate.put("bob", record(name), 1));
        fixture.quotaCalls.deleteTopicQuota(ALICE, name);
    }

    @Test
    void oneUsersFloodLeavesTheOthersTheirs() throws Exception {
        TopicTalosResourceName name = fixture.create(ALICE, "shared", partitions(1));
        BaseQuota ten = space(Long.MAX_VALUE);
        ten.setPutMessageQpsQuota(10);
        BaseQuota thirty = space(Long.MAX_VALUE);
        thirty.setPutMessageQpsQuota(30);
        fixture.quotaCalls.setUserQuota(ADMIN, "alice", new UserQuota(ten));
        fixture.quotaCalls.setUserQuota(ADMIN, "bob", new UserQuota(ten));
        fixture.quotaCalls.setTopicQuota(ALICE, name, thirty);
        int alices = 0;
        int bobs = 0;
        for (int tick = 0; tick < 1_000; tick++) {
            fixture.advance(Duration.ofMillis(10));
            for (int flood = 0; flood < 5; flood++) {
                alices += passes("alice", name) ? 1 : 0;
            }
            bobs += tick % 10 == 0 && passes("bob", name) ? 1 : 0;
        }

        assertThat(bobs).isEqualTo(100);
        assertThat(alices).isBetween(95, 112); // ten seconds at its rate, and a second's worth at once
    }

    private boolean passes(String user, TopicTalosResourceName topic) {
        try {
            fixture.gate.put(user, record(topic), 1);
            return true;
        } catch (TalosException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.THROTTLE_REJECT_ERROR);
            return false;
        }
    }

    @Test
    void whoGotMuchWaitsForItTheNextTime() throws Exception {
        TopicTalosResourceName name = fixture.create(ALICE, "read", partitions(1));
        BaseQuota kilobyte = space(Long.MAX_VALUE);
        kilobyte.setGetMessageBytesQpsQuota(1_000);
        fixture.quotaCalls.setTopicQuota(ALICE, name, kilobyte);
        fixture.gate.get("alice", record(name));
        fixture.gate.got("alice", record(name), 5_000);

        assertRefused(ErrorCode.THROTTLE_REJECT_ERROR, () -> fixture.gate.get("bob", record(name)));
        fixture.advance(Duration.ofMillis(3_999));
        assertRefused(ErrorCode.THROTTLE_REJECT_ERROR, () -> fixture.gate.get("bob", record(name)));
        fixture.advance(Duration.ofMillis(1));
        fixture.gate.get("bob", record(name));
    }

    @Test
    void quotasSurviveARestart() throws Exception {
        fixture.quotaCalls.setUserQuota(ADMIN, "alice", topics(3));
        fixture.quotaCalls.applyQuota(ALICE, new PartitionQuotaInfo("CL1", 7));

        Quotas again = Quotas.load(fixture.store);

        assertThat(again.ofUser("alice").orElseThrow().topics()).isEqualTo(3);
        assertThat(again.ofOrg("CL1").asked()).isEqualTo(7);
    }

    @Test
    void oddNumbersAndNamesAreRefused() {
        UserQuota zero = topics(0);
        UserQuota noRate = new UserQuota(space(10));
        noRate.getBaseQuota().setPutMessageQpsQuota(0);

        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> fixture.quotaCalls.setUserQuota(ADMIN, "alice", zero));
        assertRefused(ErrorCode.INVALID_TOPIC_PARAMS, () -> fixture.quotaCalls.setUserQuota(ADMIN, "alice", noRate));
        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS,
                () -> fixture.quotaCalls.setUserQuota(ADMIN, "alice", new UserQuota(space(-1))));
        assertRefused(ErrorCode.INVALID_NAME_ERROR, () -> fixture.quotaCalls.setUserQuota(ADMIN, " ", topics(1)));
        assertRefused(
                ErrorCode.INVALID_NAME_ERROR,
                () -> fixture.quotaCalls.applyQuota(ADMIN, new PartitionQuotaInfo("no-org", 1)));
        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS,
                () -> fixture.quotaCalls.applyQuota(ADMIN, new PartitionQuotaInfo("CL1", 0)));
    }
}
