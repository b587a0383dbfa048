// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.Principal;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
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

/**
 * Searches and sorts the groups of the topics that a caller may describe. A lag is for callers with a right on the
 * group, and is computed from what this server knows of the partitions: it asks no other server.
 *
 * <p>Thread-safe. {@link #find} blocks.
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
            Tables tables,
            TopicPartitions partitions,
            Ticker ticker) {
        this.directory = directory;
        this.topics = topics;
        this.lookup = lookup;
        this.partitions = partitions;
        this.ticker = ticker;
        index = new GroupIndex(tables.groups, tables.offsets, ticker);
    }

    /** The tables of which all rows are read. Immutable. */
    public record Tables(Groups groups, Offsets offsets) {}

    /** Reads the groups again at the next search: one has changed. */
    void forget() {
        index.forget();
    }

    /**
     * Returns a page of the groups that match.
     *
     * @param topic whose groups are searched; those of all topics if it is empty
     */
    GroupList find(Caller caller, Optional<String> topic, GroupSort sort, ListQuery query) throws MetadataException {
        Search search = new Search(caller, sort, query);
        GroupIndex.Snapshot read;
        if (topic.isPresent()) {
            TopicRecord only = topics.byName(topic.get());
            Permissions.require(only, caller.principal(), Permission.DESCRIBE_TOPIC);
            read = index.of(only.topicId());
        } else {
            read = index.all();
        }
        read.groups().forEach(search::add);
        return search.result(read.nanos());
    }

    /** A group and its topic. Immutable. */
    private record Found(TopicRecord topic, GroupIndex.Entry group) {}

    /** A search, which reads the bounds of a partition once. Confined: one request. */
    private final class Search {
        private final Caller caller;
        private final Principal principal;
        private final GroupSort sort;
        private final ListQuery query;
        private final PageSelection<Found> selection;
        private final Map<String, List<SeenBounds>> bounds = new HashMap<>(); // by topic; empty if one is not known
        private long oldest = ticker.nanos();

        Search(Caller caller, GroupSort sort, ListQuery query) {
            this.caller = caller;
            this.principal = caller.principal();
            this.sort = sort;
            this.query = query;
            selection = new PageSelection<>(query);
        }

        void add(GroupIndex.Entry group) {
            Optional<TopicRecord> topic = directory.byId(group.topicId()).filter(this::mayDescribe);
            if (topic.isPresent()
                    && query.filter().matches(group.group(), topic.get().name())) {
                Found found = new Found(topic.get(), group);
                selection.add(place(found), found);
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
                case LAG -> new ListPlace(lag(found), byName);
            };
        }

        private OptionalLong lag(Found found) {
            GroupAccess access = lookup.of(found.topic, found.group.group(), principal);
            boolean isVisible = found.group.isWhole()
                    && found.group
                            .row()
                            .filter(row -> access.has(Right.READ, row.owner(), row.grants()))
                            .isPresent();
            List<SeenBounds> seen =
                    isVisible ? bounds.computeIfAbsent(found.topic.topicId(), id -> seen(found.topic)) : List.of();
            if (seen.isEmpty()) {
                return OptionalLong.empty();
            }
            long lag = 0;
            for (int number = 0; number < seen.size(); number++) {
                lag += seen.get(number).bounds().messagesFrom(found.group.next(number));
            }
            return OptionalLong.of(lag);
        }

        /** Returns the bounds of a topic's partitions by number; none if those of one are not known. */
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
            oldest = readNanos - oldest < 0 ? readNanos : oldest;
            List<Row> rows = found.rows().stream().map(this::row).toList();
            return new GroupList(
                    new ListPage<>(rows, found.total(), found.next()),
                    Duration.ofNanos(Math.max(0, ticker.nanos() - oldest)));
        }

        private Row row(Found found) {
            OptionalLong lag = lag(found);
            if (lag.isPresent()) {
                for (SeenBounds each : bounds.getOrDefault(found.topic.topicId(), List.of())) {
                    oldest = each.nanos() - oldest < 0 ? each.nanos() : oldest;
                }
            }
            return new Row(found.topic.name(), found.group.group(), lag);
        }
    }

    private static long bytes(Found found) {
        return AnswerMemory.row(
                found.topic.name().length() + found.group.group().length());
    }
}
