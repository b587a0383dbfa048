// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.Principal;
import org.talos.server.memory.RequestMemory;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.SeenBounds;
import org.talos.server.partition.serving.TopicPartitions;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.group.GroupList.Row;
import org.talos.server.service.list.ListOrder;
import org.talos.server.service.list.ListPage;
import org.talos.server.service.list.ListPlace;
import org.talos.server.service.list.ListQuery;
import org.talos.server.service.list.PageSelection;
import org.talos.server.storage.LogId;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Searches and sorts the groups of the topics that a caller may describe. A lag is shown to callers with a right on the
 * group. It is computed from this server's figures of the partitions, without asking other servers.
 *
 * <p>Thread-safe. Only {@link #ofTopic} blocks.
 */
public final class GroupLists {
    private static final String SMALLER = "ask for a smaller page";

    private final TopicDirectory directory;
    private final TopicLookup topics;
    private final GroupLookup lookup;
    private final TopicPartitions partitions;
    private final GroupIndex index;
    private final Ticker ticker;

    public GroupLists(
            TopicDirectory directory,
            TopicLookup topics,
            GroupLookup lookup,
            TopicPartitions partitions,
            GroupIndex index,
            Ticker ticker) {
        this.directory = directory;
        this.topics = topics;
        this.lookup = lookup;
        this.partitions = partitions;
        this.index = index;
        this.ticker = ticker;
    }

    /** Leaves out a group from now on: this server has deleted it. */
    void remove(String group, TopicTalosResourceName topic) {
        directory.byResourceName(topic.getTopicTalosResourceName()).ifPresent(known -> index.remove(known, group));
    }

    /** Returns the groups of all topics, for {@link #find}. */
    CompletionStage<GroupIndex.Snapshot> all(long deadlineNanos) {
        return index.all(deadlineNanos);
    }

    /** Returns a page of the groups that match. */
    GroupList find(Caller caller, GroupIndex.Snapshot all, GroupSort sort, ListQuery query) {
        Search search = new Search(caller, sort, query);
        search.add(all, index::isRemoved);
        return search.result(all.nanos());
    }

    /** Returns a page of the groups of a topic that match. Blocks: they are read now. */
    GroupList ofTopic(Caller caller, String topic, GroupSort sort, ListQuery query) throws MetadataException {
        TopicRecord only = topics.byName(topic);
        Permissions.require(only, caller.principal(), Permission.DESCRIBE_TOPIC);
        Search search = new Search(caller, sort, query);
        long readNanos;
        try (RequestMemory reading = caller.memory().request().part()) {
            GroupIndex.Snapshot read = index.of(only, reading::tryReserve);
            search.add(read, (known, group) -> false);
            readNanos = read.nanos();
        }
        return search.result(readNanos);
    }

    /**
     * A group and its topic. Immutable.
     *
     * @param lag if it decides the order; otherwise empty until the page is known
     */
    private record Found(TopicRecord topic, GroupIndex.Entry group, Optional<Lag> lag) {}

    /**
     * The lag of a group. Immutable.
     *
     * @param messages empty if it is not known, or not for the caller
     * @param nanos time of the oldest bounds of a partition, by the monotonic clock
     */
    private record Lag(OptionalLong messages, long nanos) {}

    /** A search, which reads the bounds of a topic's partitions once for groups in a row. Confined: one request. */
    private final class Search {
        private final Caller caller;
        private final Principal principal;
        private final GroupSort sort;
        private final ListQuery query;
        private final PageSelection<Found> selection;
        private final long now = ticker.nanos();
        private String topicOfBounds = "";
        private List<SeenBounds> bounds = List.of(); // empty if those of a partition are unknown
        private boolean isComplete = true;

        Search(Caller caller, GroupSort sort, ListQuery query) {
            this.caller = caller;
            this.principal = caller.principal();
            this.sort = sort;
            this.query = query;
            selection = new PageSelection<>(query);
        }

        /** @param isGone says which groups are left out */
        void add(GroupIndex.Snapshot read, BiPredicate<TopicRecord, GroupIndex.Entry> isGone) {
            for (GroupIndex.OfTopic each : read.topics()) {
                directory.byId(each.topicId()).filter(this::mayDescribe).ifPresent(topic -> add(topic, each, isGone));
            }
        }

        private void add(
                TopicRecord topic, GroupIndex.OfTopic groups, BiPredicate<TopicRecord, GroupIndex.Entry> isGone) {
            isComplete &= groups.isComplete();
            for (GroupIndex.Entry group : groups.groups()) {
                if (query.filter().matches(group.group(), topic.name()) && !isGone.test(topic, group)) {
                    Optional<Lag> lag = sort == GroupSort.LAG ? Optional.of(lag(topic, group)) : Optional.empty();
                    Found found = new Found(topic, group, lag);
                    selection.add(place(found), found);
                }
            }
        }

        private boolean mayDescribe(TopicRecord topic) {
            int needed = Permission.DESCRIBE_TOPIC.getValue();
            return (Permissions.bits(topic, principal) & needed) == needed;
        }

        private ListPlace place(Found found) {
            String topic = found.topic.name();
            String group = found.group.group();
            String byName = group + ListOrder.SEPARATOR + topic;
            return switch (sort) {
                case NAME -> ListPlace.of(byName);
                case TOPIC -> ListPlace.of(topic + ListOrder.SEPARATOR + group);
                case LAG -> new ListPlace(lag(found).messages, byName);
            };
        }

        private Lag lag(Found found) {
            return found.lag.orElseGet(() -> lag(found.topic, found.group));
        }

        private Lag lag(TopicRecord topic, GroupIndex.Entry group) {
            GroupAccess access = lookup.of(topic, group.group(), principal);
            boolean isVisible = group.isWhole()
                    && group.row()
                            .filter(row -> access.has(Right.READ, row.owner(), row.grants()))
                            .isPresent();
            List<SeenBounds> seen = isVisible ? bounds(topic) : List.of();
            if (seen.isEmpty()) {
                return new Lag(OptionalLong.empty(), now);
            }
            long lag = 0;
            long oldest = now;
            for (int number = 0; number < seen.size(); number++) {
                SeenBounds each = seen.get(number);
                lag += each.bounds().messagesFrom(group.next(number));
                oldest = each.nanos() - oldest < 0 ? each.nanos() : oldest;
            }
            return new Lag(OptionalLong.of(lag), oldest);
        }

        private List<SeenBounds> bounds(TopicRecord topic) {
            if (!topic.topicId().equals(topicOfBounds)) {
                bounds = seen(topic);
                topicOfBounds = topic.topicId();
            }
            return bounds;
        }

        /** Returns the bounds of a topic's partitions by number; none if those of one are unknown. */
        private List<SeenBounds> seen(TopicRecord topic) {
            List<SeenBounds> all = new ArrayList<>();
            for (int number = 0; number < topic.partitions(); number++) {
                Optional<SeenBounds> one = partitions.seen(new LogId(topic.topicId(), number));
                if (one.isEmpty()) {
                    return List.of();
                }
                all.add(one.get());
            }
            return all;
        }

        /** @param readNanos when the groups were read */
        GroupList result(long readNanos) {
            ListPage<Found> found = selection.page();
            caller.memory().reserve(found.rows(), GroupLists::bytes, SMALLER);
            long oldest = readNanos - now < 0 ? readNanos : now;
            List<Row> rows = new ArrayList<>();
            for (Found each : found.rows()) {
                Lag lag = lag(each);
                oldest = lag.nanos - oldest < 0 ? lag.nanos : oldest;
                rows.add(new Row(each.topic.name(), each.group.group(), lag.messages));
            }
            return new GroupList(
                    new ListPage<>(rows, found.total(), found.next()),
                    isComplete,
                    Duration.ofNanos(Math.max(0, ticker.nanos() - oldest)));
        }
    }

    private static long bytes(Found found) {
        return AnswerMemory.row(
                found.topic.name().length() + found.group.group().length());
    }
}
