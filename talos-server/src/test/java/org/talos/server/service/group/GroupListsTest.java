// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.service.ControlFixture.ADMIN;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.BOB;
import static org.talos.server.service.ControlFixture.assertRefused;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.SeenBounds;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.list.ListOrder;
import org.talos.server.service.list.ListPlace;
import org.talos.server.service.list.ListQuery;
import org.talos.server.service.list.NameFilter;
import org.talos.server.simulation.MemoryRows;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicTalosResourceName;

class GroupListsTest {
    private static final Duration LATER = Duration.ofSeconds(2); // than a list is kept
    private static final long MESSAGES = 100; // in each partition

    private final ControlFixture.Partitions partitions = new ControlFixture.Partitions();
    private final MemoryRows rows = new MemoryRows();

    @AutoClose
    private final TimerWheel timers = TimerWheel.started(() -> 0); // fires never

    private Groups groups;
    private Offsets offsets;
    private TopicDirectory directory;
    private GroupIndex index;
    private GroupLists lists;
    private long nanos;
    private int made;
    private int calls; // of the store

    @BeforeEach
    void open() throws Exception {
        MetadataStore store = rows.view(new MemoryRows.Faults() {
            @Override
            public void before(Runnable write) {
                calls++;
            }
        });
        groups = new Groups(store);
        offsets = new Offsets(store);
        directory = TopicDirectory.load(new Topics(store));
        open(1 << 20);
    }

    /** Opens the lists with so much memory for the groups of all topics. */
    private void open(long mostBytes) {
        TopicLookup topics = new TopicLookup(directory);
        index = new GroupIndex(
                directory,
                new GroupIndex.Tables(groups, offsets),
                (deadline, reading) -> {
                    try {
                        return CompletableFuture.completedFuture(reading.call());
                    } catch (Exception e) {
                        return CompletableFuture.failedFuture(e);
                    }
                },
                timers,
                () -> nanos,
                mostBytes);
        lists = new GroupLists(
                directory, topics, new GroupLookup(topics, user -> Optional.empty()), partitions, index, () -> nanos);
    }

    /** Makes a topic with two partitions of a hundred messages each. */
    private TopicRecord topic(String name, String owner, Map<String, Integer> acl) throws Exception {
        TopicRecord topic = new TopicRecord(
                name,
                String.format(Locale.ROOT, "%032x", ++made),
                owner,
                2,
                2,
                86_400,
                Map.of(),
                acl,
                1_700_000_000_000L,
                0,
                null,
                null,
                List.of());
        assertThat(directory.create(topic)).isTrue();
        for (LogId id : LogId.all(topic.topicId(), 2)) {
            partitions.seen.put(id, new SeenBounds(new LogBounds(0, MESSAGES, MESSAGES), nanos));
        }
        return topic;
    }

    private void own(TopicRecord topic, String group, String owner, Map<String, Right> grants) throws Exception {
        GroupRecord row = new GroupRecord(owner, grants, Map.of(), Map.of());
        assertThat(groups.save(topic.topicId(), group, row, 0)).isPresent();
    }

    /** Commits so that this number of messages remains in the first partition, and none in the second. */
    private void commit(TopicRecord topic, String group, long lag) throws Exception {
        assertThat(offsets.save(topic.topicId(), group, 0, committed(MESSAGES - lag), 0))
                .isPresent();
        assertThat(offsets.save(topic.topicId(), group, 1, committed(MESSAGES), 0))
                .isPresent();
    }

    private static CommittedOffset committed(long next) {
        return new CommittedOffset(next - 1, "worker", 1);
    }

    private GroupList find(
            Caller caller, Optional<String> topic, GroupSort sort, boolean isDescending, Optional<String> after)
            throws Exception {
        ListOrder order = new ListOrder(sort.isByFigure(), isDescending);
        Optional<ListPlace> place = after.map(text -> order.place(text).orElseThrow());
        ListQuery query = new ListQuery(NameFilter.of("", ""), order, place, 2);
        return topic.isPresent()
                ? lists.ofTopic(caller, topic.get(), sort, query)
                : lists.find(caller, lists.all(0).toCompletableFuture().get(), sort, query);
    }

    private GroupList find(Caller caller, GroupSort sort, boolean isDescending) throws Exception {
        return find(caller, Optional.empty(), sort, isDescending, Optional.empty());
    }

    private static List<String> shown(GroupList list) {
        return list.page().rows().stream()
                .map(row -> row.topic() + "/" + row.group() + "="
                        + (row.lag().isPresent() ? row.lag().getAsLong() : "?"))
                .toList();
    }

    @Test
    void groupsOfTopicsThatTheCallerMayDescribeAreListedAndCounted() throws Exception {
        commit(topic("mine", "alice", Map.of()), "a", 5);
        commit(topic("hidden", "bob", Map.of()), "b", 5);
        commit(topic("get-only", "bob", Map.of("alice", Permission.GET_MESSAGE.getValue())), "c", 5);

        GroupList found = find(ALICE, GroupSort.NAME, false);

        assertThat(shown(found)).containsExactly("mine/a=5");
        assertThat(found.page().total()).isEqualTo(1);
        assertThat(find(ADMIN, GroupSort.NAME, false).page().total()).isEqualTo(3);
        assertRefused(
                ErrorCode.PERMISSION_DENIED_ERROR,
                () -> find(ALICE, Optional.of("hidden"), GroupSort.NAME, false, Optional.empty()));
        assertRefused(
                ErrorCode.TOPIC_NOT_EXIST,
                () -> find(ALICE, Optional.of("absent"), GroupSort.NAME, false, Optional.empty()));
    }

    @Test
    void lagIsForCallersWithARightOnTheGroup() throws Exception {
        TopicRecord shared =
                topic("shared", "bob", Map.of("alice", Permission.GET_MESSAGE_AND_DESCRIBE_TOPIC.getValue()));
        own(shared, "granted", "carol", Map.of("alice", Right.READ));
        own(shared, "secret", "carol", Map.of());
        commit(shared, "granted", 1);
        commit(shared, "secret", 9);

        assertThat(shown(find(ALICE, GroupSort.LAG, true))).containsExactly("shared/granted=1", "shared/secret=?");
        assertThat(shown(find(BOB, GroupSort.LAG, true))).containsExactly("shared/secret=9", "shared/granted=1");
    }

    @Test
    void groupThatNeverCommittedLagsByAllAndOneWithoutAServerIsLast() throws Exception {
        TopicRecord topic = topic("orders", "alice", Map.of());
        own(topic, "new", "alice", Map.of());
        TopicRecord away = topic("away", "alice", Map.of());
        partitions.seen.remove(new LogId(away.topicId(), 1));
        commit(away, "lost", 3);

        assertThat(shown(find(ALICE, GroupSort.LAG, true))).containsExactly("orders/new=200", "away/lost=?");
        assertThat(shown(find(ALICE, GroupSort.LAG, false))).containsExactly("orders/new=200", "away/lost=?");
    }

    @Test
    void rowThatCannotBeReadHidesNoGroup() throws Exception {
        TopicRecord topic = topic("orders", "alice", Map.of());
        own(topic, "damaged", "alice", Map.of());
        commit(topic, "whole", 1);
        rows.hide(RowKey.table('g').and(topic.topicId()).and("damaged"), true);

        assertThat(shown(find(ALICE, GroupSort.LAG, true))).containsExactly("orders/whole=1", "orders/damaged=?");
    }

    @Test
    void pagesContinueWhileGroupsComeAndGo() throws Exception {
        TopicRecord topic = topic("orders", "alice", Map.of());
        commit(topic, "a", 8);
        commit(topic, "b", 8);
        commit(topic, "c", 4);
        GroupList first = find(ALICE, GroupSort.LAG, true);
        assertThat(shown(first)).containsExactly("orders/a=8", "orders/b=8");

        offsets.deleteAll(topic.topicId(), "b");
        commit(topic, "late", 2);
        nanos += LATER.toNanos();

        GroupList second =
                find(ALICE, Optional.empty(), GroupSort.LAG, true, first.page().next());
        assertThat(shown(second)).containsExactly("orders/c=4", "orders/late=2");
        assertThat(second.page().total()).isEqualTo(3);
    }

    @Test
    void groupsOfOneNameAreSortedByTopic() throws Exception {
        commit(topic("b", "alice", Map.of()), "shop", 1);
        commit(topic("a", "alice", Map.of()), "shop", 2);
        commit(topic("a-b", "alice", Map.of()), "alpha", 3);

        assertThat(shown(find(ALICE, GroupSort.NAME, false))).containsExactly("a-b/alpha=3", "a/shop=2");
        assertThat(shown(find(ALICE, GroupSort.TOPIC, false))).containsExactly("a/shop=2", "a-b/alpha=3");
    }

    @Test
    void listIsReadAgainAfterAWhileAndThatOfATopicAlways() throws Exception {
        TopicRecord topic = topic("orders", "alice", Map.of());
        commit(topic, "a", 1);
        assertThat(find(ALICE, GroupSort.NAME, false).page().total()).isEqualTo(1);
        nanos += 1_000_000;

        commit(topic, "b", 1);

        assertThat(find(ALICE, GroupSort.NAME, false).page().total()).isEqualTo(1);
        assertThat(find(ALICE, GroupSort.NAME, false).age()).isEqualTo(Duration.ofMillis(1));
        assertThat(find(ALICE, Optional.of("orders"), GroupSort.NAME, false, Optional.empty())
                        .page()
                        .total())
                .isEqualTo(2);
        nanos += LATER.toNanos();
        assertThat(find(ALICE, GroupSort.NAME, false).page().total()).isEqualTo(2);
    }

    @Test
    void ownerOfMoreGroupsThanFitFindsAPartAndOthersFindAll() throws Exception {
        open(40 << 10);
        TopicRecord many = topic("many", "alice", Map.of());
        for (int i = 0; i < 1_000; i++) {
            own(many, "group-" + i, "alice", Map.of());
        }
        own(topic("one", "bob", Map.of()), "shop", "bob", Map.of());

        GroupList part = find(ALICE, GroupSort.NAME, false);
        assertThat(part.isComplete()).isFalse();
        assertThat(part.page().total()).isBetween(50L, 500L);
        assertThat(find(ADMIN, GroupSort.NAME, false).isComplete()).isFalse();
        GroupList all = find(BOB, GroupSort.NAME, false);
        assertThat(all.isComplete()).isTrue();
        assertThat(shown(all)).containsExactly("one/shop=200");
        GroupList ofTopic = find(ALICE, Optional.of("many"), GroupSort.NAME, false, Optional.empty());
        assertThat(ofTopic.isComplete()).isTrue();
        assertThat(ofTopic.page().total()).isEqualTo(1_000);
    }

    @Test
    void rightsThatDoNotFitHideOnlyTheLag() throws Exception {
        open(8 << 10);
        Map<String, Right> grants = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            grants.put("user-" + i, Right.READ);
        }
        TopicRecord topic = topic("orders", "alice", Map.of());
        own(topic, "shared", "alice", grants);
        own(topic, "small", "alice", Map.of());

        GroupList found = find(ALICE, GroupSort.NAME, false);

        assertThat(shown(found)).containsExactly("orders/shared=?", "orders/small=200");
        assertThat(found.isComplete()).isTrue();
    }

    @Test
    void hundredThousandGroupsAreReadOnceAndListedInPages() throws Exception {
        open(64 << 20);
        for (int i = 0; i < 100; i++) {
            TopicRecord topic = topic("topic-" + i, "alice", Map.of());
            for (int group = 0; group < 1_000; group++) {
                own(topic, "group-" + group, "alice", Map.of());
            }
        }

        GroupList first = find(ALICE, GroupSort.NAME, false);
        int before = calls;
        GroupList second = find(
                ALICE, Optional.empty(), GroupSort.NAME, false, first.page().next());

        assertThat(first.isComplete()).isTrue();
        assertThat(first.page().total()).isEqualTo(100_000);
        assertThat(shown(second)).containsExactly("topic-10/group-0=200", "topic-11/group-0=200");
        assertThat(find(BOB, GroupSort.NAME, false).page().total()).isZero();
        assertThat(calls).isEqualTo(before);
    }

    @Test
    void groupThatThisServerDeletesIsLeftOutAtOnce() throws Exception {
        TopicRecord topic = topic("orders", "alice", Map.of());
        commit(topic, "a", 1);
        commit(topic, "b", 1);
        assertThat(find(ALICE, GroupSort.NAME, false).page().total()).isEqualTo(2);
        int before = calls;

        lists.remove("a", new TopicTalosResourceName(topic.resourceName()));

        assertThat(shown(find(ALICE, GroupSort.NAME, false))).containsExactly("orders/b=1");
        assertThat(calls).isEqualTo(before);
        assertThat(shown(find(ALICE, Optional.of("orders"), GroupSort.NAME, false, Optional.empty())))
                .as("what is stored now, as of one that was made again")
                .containsExactly("orders/a=1", "orders/b=1");
    }

    @Test
    void twoThousandGroupsAreReadOnceForManySearches() throws Exception {
        for (int i = 0; i < 200; i++) {
            TopicRecord topic = topic("topic-" + i, "alice", Map.of());
            for (int group = 0; group < 10; group++) {
                commit(topic, "group-" + group, group);
            }
        }
        assertThat(find(ALICE, GroupSort.LAG, true).page().total()).isEqualTo(2_000);
        int before = calls;
        partitions.looks = 0;

        GroupList found = find(ALICE, GroupSort.LAG, true);

        assertThat(shown(found)).containsExactly("topic-0/group-9=9", "topic-1/group-9=9");
        assertThat(calls).isEqualTo(before);
        assertThat(partitions.looks).isEqualTo(400); // each partition once, for its ten groups
        assertThat(partitions.refreshes).isZero(); // no other server is asked
    }
}
