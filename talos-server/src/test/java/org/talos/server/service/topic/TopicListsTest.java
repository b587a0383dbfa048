// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.service.ControlFixture.ADMIN;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.BOB;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.SeenBounds;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.call.Caller;
import org.talos.server.service.list.ListOrder;
import org.talos.server.service.list.ListPlace;
import org.talos.server.service.list.ListQuery;
import org.talos.server.service.list.NameFilter;
import org.talos.server.service.topic.TopicFigures.Figures;
import org.talos.server.simulation.MemoryRows;
import org.talos.server.storage.LogId;
import org.talos.thrift.Permission;

class TopicListsTest {
    private static final NameFilter ALL = NameFilter.of("", "");
    private static final Duration ROUND = Duration.ofSeconds(5);

    private final ControlFixture.Partitions partitions = new ControlFixture.Partitions();
    private TopicDirectory directory;
    private TopicLists lists;
    private long nanos;
    private int made;

    @BeforeEach
    void open() throws Exception {
        directory = TopicDirectory.load(new Topics(new MemoryRows().whole()));
        lists = new TopicLists(directory, new TopicFigures(directory, partitions, () -> nanos), () -> nanos);
    }

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
        return topic;
    }

    /** Makes a topic of Alice's with this number of messages, and ten times the bytes, in its two partitions. */
    private TopicRecord filled(String name, long messages) throws Exception {
        TopicRecord topic = topic(name, "alice", Map.of());
        fill(topic, messages);
        return topic;
    }

    private void fill(TopicRecord topic, long messages) {
        long half = messages / 2;
        partitions.seen.put(new LogId(topic.topicId(), 0), bounds(half));
        partitions.seen.put(new LogId(topic.topicId(), 1), bounds(messages - half));
    }

    private SeenBounds bounds(long messages) {
        return new SeenBounds(new LogBounds(0, messages, 10 * messages), nanos);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private TopicList find(Caller caller, TopicSort sort, boolean isDescending, Optional<String> after, int limit) {
        ListOrder order = new ListOrder(sort.isByFigure(), isDescending);
        Optional<ListPlace> place = after.map(text -> order.place(text).orElseThrow());
        return lists.find(caller, sort, new ListQuery(ALL, order, place, limit));
    }

    private TopicList find(Caller caller, TopicSort sort, boolean isDescending) {
        return find(caller, sort, isDescending, Optional.empty(), 100);
    }

    private static List<String> names(TopicList list) {
        return list.page().rows().stream().map(TopicList.Row::name).toList();
    }

    private static Figures figures(TopicList list, int row) {
        return list.page().rows().get(row).contents().orElseThrow().figures();
    }

    @Test
    void listHasAndCountsOnlyTopicsThatTheCallerOwnsOrMayUse() throws Exception {
        topic("hidden", "bob", Map.of());
        topic("mine", "alice", Map.of());
        topic("of-the-org", "CL1", Map.of());
        topic("of-the-team", "bob", Map.of("CI1", Permission.GET_MESSAGE_AND_DESCRIBE_TOPIC.getValue()));

        TopicList found = find(ALICE, TopicSort.NAME, false);
        assertThat(names(found)).containsExactly("mine", "of-the-org", "of-the-team");
        assertThat(found.page().total()).isEqualTo(3);

        assertThat(find(ALICE, TopicSort.SIZE, true, Optional.empty(), 1).page().total())
                .isEqualTo(3);
        assertThat(names(find(BOB, TopicSort.NAME, true))).containsExactly("of-the-team", "hidden");
        assertThat(find(ADMIN, TopicSort.NAME, false).page().total()).isEqualTo(4);
    }

    @Test
    void callerThatMayNotDescribeATopicLearnsNeitherItsFiguresNorItsRank() throws Exception {
        TopicRecord put = topic("put-only", "bob", Map.of("alice", Permission.PUT_MESSAGE.getValue()));
        fill(put, 1_000);
        filled("mine", 1);

        for (boolean isDescending : List.of(true, false)) {
            TopicList found = find(ALICE, TopicSort.MESSAGES, isDescending);
            assertThat(names(found)).containsExactly("mine", "put-only");
            assertThat(found.page().rows().get(1).contents()).isEmpty();
        }
        assertThat(find(ALICE, TopicSort.MESSAGES, true, Optional.empty(), 1)
                        .page()
                        .next())
                .contains("1,mine");
    }

    @Test
    void wordsAreFoundInNamesAndOwners() throws Exception {
        topic("Orders-EU", "alice", Map.of());
        topic("orders-us", "CL1", Map.of());
        topic("clicks", "alice", Map.of());

        ListOrder order = new ListOrder(false, false);
        TopicList found = lists.find(
                ALICE, TopicSort.NAME, new ListQuery(NameFilter.of("ORDERS alice", ""), order, Optional.empty(), 100));

        assertThat(names(found)).containsExactly("Orders-EU");
        assertThat(found.page().total()).isEqualTo(1);
    }

    @Test
    void figuresSortBothWaysAndTiesByName() throws Exception {
        filled("b", 10);
        filled("a", 10);
        filled("most", 30);
        filled("empty", 0);

        assertThat(names(find(ALICE, TopicSort.MESSAGES, true))).containsExactly("most", "a", "b", "empty");
        assertThat(names(find(ALICE, TopicSort.SIZE, false))).containsExactly("empty", "a", "b", "most");
        TopicList found = find(ALICE, TopicSort.SIZE, true);
        assertThat(figures(found, 0).messages()).hasValue(30);
        assertThat(figures(found, 0).bytes()).hasValue(300);
        assertThat(names(find(ALICE, TopicSort.OWNER, true))).containsExactly("most", "empty", "b", "a");
    }

    @Test
    void pagesContinueWhileTopicsComeAndGo() throws Exception {
        filled("a", 40);
        TopicRecord last = filled("b", 30);
        filled("c", 20);
        TopicList first = find(ALICE, TopicSort.SIZE, true, Optional.empty(), 2);
        assertThat(names(first)).containsExactly("a", "b");

        assertThat(directory.delete(last.topicId())).isTrue();
        filled("larger", 50);
        filled("smaller", 10);

        TopicList second = find(ALICE, TopicSort.SIZE, true, first.page().next(), 2);
        assertThat(names(second)).containsExactly("c", "smaller"); // also those that no round has measured
        assertThat(second.page().total()).isEqualTo(4);
        assertThat(second.page().next()).isEmpty();
    }

    @Test
    void topicWithAPartitionWhoseServerIsAwayIsLastAndSaysNoFigure() throws Exception {
        TopicRecord away = filled("away", 1_000);
        partitions.seen.remove(new LogId(away.topicId(), 1));
        filled("here", 1);

        for (boolean isDescending : List.of(true, false)) {
            for (TopicSort sort : List.of(TopicSort.MESSAGES, TopicSort.SIZE, TopicSort.RATE)) {
                TopicList found = find(ALICE, sort, isDescending);
                assertThat(names(found)).as(sort.name()).hasSize(2).endsWith(sort == TopicSort.RATE ? "here" : "away");
                assertThat(found.page().total()).isEqualTo(2);
            }
        }
        Figures unknown = figures(find(ALICE, TopicSort.NAME, false), 0);
        assertThat(unknown.messages()).isEmpty();
        assertThat(unknown.bytes()).isEmpty();
        assertThat(unknown.putsPerSecond()).isEmpty();
    }

    @Test
    void rateIsThatOfTheRoundsBefore() throws Exception {
        TopicRecord slow = filled("slow", 100);
        TopicRecord fast = filled("fast", 100);
        assertThat(figures(find(ALICE, TopicSort.NAME, false), 0).putsPerSecond())
                .isEmpty();

        pass(ROUND);
        fill(slow, 110);
        fill(fast, 600);

        TopicList found = find(ALICE, TopicSort.RATE, true);
        assertThat(names(found)).containsExactly("fast", "slow");
        assertThat(figures(found, 0).putsPerSecond()).hasValue(100);
        assertThat(figures(found, 1).putsPerSecond()).hasValue(2);
    }

    @Test
    void ageIsThatOfTheOldestFigureOnThePage() throws Exception {
        filled("another-server", 1);
        pass(Duration.ofSeconds(30));
        filled("here", 1);

        assertThat(find(ALICE, TopicSort.NAME, false).age()).contains(Duration.ofSeconds(30));
        assertThat(find(ALICE, TopicSort.NAME, true, Optional.empty(), 1).age()).contains(Duration.ZERO);
        assertThat(find(BOB, TopicSort.NAME, true).age()).isEmpty();
    }

    @Test
    void tenThousandTopicsAreMeasuredOnceForManySearches() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            filled(String.format(Locale.ROOT, "topic-%05d", i), i);
        }

        List<String> largest = new ArrayList<>();
        for (TopicSort sort : TopicSort.values()) {
            TopicList found = find(ALICE, sort, true, Optional.empty(), 10);
            assertThat(found.page().total()).isEqualTo(10_000);
            largest.add(names(found).get(0));
        }

        assertThat(largest).startsWith("topic-09999", "topic-09999", "topic-09999", "topic-09999");
        assertThat(partitions.looks).isEqualTo(20_000); // each partition once, for all five
        assertThat(partitions.refreshes).isZero(); // no other server is asked
    }
}
