// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.service.ControlFixture.ADMIN;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.BOB;
import static org.talos.server.service.ControlFixture.assertRefused;
import static org.talos.server.service.ControlFixture.grantee;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.metadata.rows.topic.TopicGroups;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.call.Caller;
import org.talos.thrift.CreateTopicGroupRequest;
import org.talos.thrift.DeleteTopicGroupRequest;
import org.talos.thrift.DescribeTopicGroupRequest;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.LookupTopicsRequest;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicGroup;
import org.talos.thrift.TopicGroupType;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UpdateTopicGroupRequest;

class TopicGroupCallsTest {
    @TempDir
    private Path data;

    private ControlFixture fixture;
    private TopicGroupCalls groups;

    @BeforeEach
    void open() throws Exception {
        fixture = new ControlFixture(data);
        groups = new TopicGroupCalls(new TopicGroups(fixture.store), fixture.directory);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static TopicGroup pattern(String name, String pattern, String... except) {
        TopicGroup group = new TopicGroup(name, "", TopicGroupType.TOPIC_PATTERN);
        group.setTopicPattern(pattern);
        group.setExclusiveTopics(List.of(except));
        return group;
    }

    private static TopicGroup listed(String name, String... topics) {
        TopicGroup group = new TopicGroup(name, "", TopicGroupType.TOPIC_SET);
        group.setTopicSet(List.of(topics));
        return group;
    }

    private List<String> lookup(Caller caller, String group) throws Exception {
        return groups.lookupTopics(caller, new LookupTopicsRequest(group)).getTopics().keySet().stream()
                .map(name -> name.split("#")[1])
                .sorted()
                .toList();
    }

    @Test
    void patternGroupHasTheTopicsThatTheCallerMayRead() throws Exception {
        fixture.create(ALICE, "shop-a");
        fixture.create(ALICE, "shop-b");
        fixture.create(ALICE, "shop-x");
        fixture.create(ALICE, "other");
        TopicTalosResourceName bobs = fixture.create(BOB, "shop-bob");
        groups.createTopicGroup(ALICE, new CreateTopicGroupRequest(pattern("shops", "shop-.*", "shop-x")));

        assertThat(lookup(ALICE, "shops")).containsExactly("shop-a", "shop-b");
        fixture.permissions.setPermission(BOB, bobs, grantee("alice"), Permission.GET_MESSAGE);
        assertThat(lookup(ALICE, "shops")).containsExactly("shop-a", "shop-b", "shop-bob");
    }

    @Test
    void eachGroupIsShownWithTheOneFieldThatReadersGoBy() throws Exception {
        groups.createTopicGroup(ALICE, new CreateTopicGroupRequest(pattern("by-pattern", "a.*")));
        groups.createTopicGroup(ALICE, new CreateTopicGroupRequest(listed("by-list", "a", "b")));

        TopicGroup byPattern = groups.describeTopicGroup(ALICE, new DescribeTopicGroupRequest("by-pattern"))
                .getTopicGroup();
        TopicGroup byList = groups.describeTopicGroup(ALICE, new DescribeTopicGroupRequest("by-list"))
                .getTopicGroup();
        assertThat(byPattern.isSetTopicPattern()).isTrue();
        assertThat(byPattern.isSetTopicSet()).isFalse();
        assertThat(byList.getTopicSet()).containsExactly("a", "b");
        assertThat(byList.isSetTopicPattern()).isFalse();
        assertThat(byList.getOwnerId()).isEqualTo("alice");
        fixture.create(ALICE, "b");
        assertThat(lookup(ALICE, "by-list")).containsExactly("b");
    }

    @Test
    void groupIsItsOwnersOrTheirOrgs() throws Exception {
        groups.createTopicGroup(ALICE, new CreateTopicGroupRequest(listed("mine", "a")));
        TopicGroup ofOrg = listed("ours", "a");
        ofOrg.setOwnerId("CL1");
        groups.createTopicGroup(ALICE, new CreateTopicGroupRequest(ofOrg));

        assertThat(groups.listTopicGroup(ALICE).getTopicGroupList())
                .extracting(TopicGroup::getOwnerId)
                .containsExactlyInAnyOrder("alice", "CL1");
        assertThat(groups.listTopicGroup(BOB).getTopicGroupList()).isEmpty();
        assertThat(groups.listTopicGroup(ADMIN).getTopicGroupList()).hasSize(2);
        assertRefused(ErrorCode.TOPIC_NOT_EXIST, () -> lookup(BOB, "mine"));
        assertRefused(
                ErrorCode.TOPIC_NOT_EXIST, () -> groups.deleteTopicGroup(BOB, new DeleteTopicGroupRequest("mine")));
        assertRefused(
                ErrorCode.TOPIC_EXIST,
                () -> groups.createTopicGroup(BOB, new CreateTopicGroupRequest(listed("mine", "b"))));
    }

    /** Also more than are read at once, of two owners. */
    @Test
    void ownerHasAHundredGroupsAtMost() throws Exception {
        for (int i = 0; i < 100; i++) {
            groups.createTopicGroup(ALICE, new CreateTopicGroupRequest(listed("group-" + i, "a")));
            groups.createTopicGroup(BOB, new CreateTopicGroupRequest(listed("bobs-" + i, "a")));
        }

        assertRefused(
                ErrorCode.QUOTA_EXCEEDED,
                () -> groups.createTopicGroup(ALICE, new CreateTopicGroupRequest(listed("more", "a"))));
        assertThat(groups.listTopicGroup(ALICE).getTopicGroupList())
                .hasSize(100)
                .extracting(TopicGroup::getOwnerId)
                .containsOnly("alice");
        groups.deleteTopicGroup(ALICE, new DeleteTopicGroupRequest("group-7"));
        groups.createTopicGroup(ALICE, new CreateTopicGroupRequest(listed("more", "a")));
    }

    @Test
    void groupIsReplacedAndDeleted() throws Exception {
        fixture.create(ALICE, "b");
        groups.createTopicGroup(ALICE, new CreateTopicGroupRequest(pattern("group", "a")));
        groups.updateTopicGroup(ALICE, new UpdateTopicGroupRequest(listed("group", "b")));
        assertThat(lookup(ALICE, "group")).containsExactly("b");

        groups.deleteTopicGroup(ALICE, new DeleteTopicGroupRequest("group"));
        assertRefused(ErrorCode.TOPIC_NOT_EXIST, () -> lookup(ALICE, "group"));
    }

    @Test
    void groupsThatSayNothingOrTwoThingsAreRefused() {
        TopicGroup both = pattern("group", "a");
        both.setTopicSet(List.of("a"));
        TopicGroup otherType = pattern("group", "a");
        otherType.setType(TopicGroupType.TOPIC_SET);

        for (TopicGroup wrong :
                List.of(both, otherType, listed("group"), pattern("group", "("), pattern("group", "a{1,1000}"))) {
            assertRefused(
                    ErrorCode.INVALID_TOPIC_PARAMS,
                    () -> groups.createTopicGroup(ALICE, new CreateTopicGroupRequest(wrong)));
        }
        assertRefused(
                ErrorCode.INVALID_NAME_ERROR,
                () -> groups.createTopicGroup(ALICE, new CreateTopicGroupRequest(listed("group", "../x"))));
        assertRefused(
                ErrorCode.INVALID_NAME_ERROR,
                () -> groups.createTopicGroup(ALICE, new CreateTopicGroupRequest(listed("_x", "a"))));
    }
}
