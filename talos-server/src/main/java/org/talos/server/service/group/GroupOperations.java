// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.common.name.MemberKind;
import org.talos.server.auth.Permissions;
import org.talos.server.config.ServiceConfig;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.call.Throttle;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.group.GroupReset.Moved;
import org.talos.server.service.list.ListQuery;
import org.talos.server.service.message.GetCalls;
import org.talos.thrift.GroupRight;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Consumer groups for clients without a lasting connection to one server: no call needs the state of an earlier one,
 * and any server can take the next. Failures complete with a {@link TalosException}; nothing blocks.
 *
 * <p>Thread-safe.
 */
public final class GroupOperations {
    private static final String FOUND = "found groups"; // the key of searches: those of a user run one after another

    private final TopicLookup topics;
    private final GroupLookup groups;
    private final GroupMembers members;
    private final GroupCommits commits;
    private final GroupReads reads;
    private final GroupViews views;
    private final GroupLists lists;
    private final ConsumerCalls calls;
    private final GetCalls gets;
    private final Throttle throttle;
    private final ControlPool pool;
    private final ServiceConfig config;
    private final Ticker ticker;

    /** Groups the parts that work on groups. Immutable. */
    public record Parts(
            GroupLookup groups,
            GroupMembers members,
            GroupCommits commits,
            GroupReads reads,
            GroupViews views,
            GroupLists lists,
            ConsumerCalls calls) {}

    /** Members' reads are bounded and throttled like other gets. */
    public GroupOperations(
            TopicLookup topics,
            Parts parts,
            GetCalls gets,
            Throttle throttle,
            ControlPool pool,
            ServiceConfig config,
            Ticker ticker) {
        this.topics = topics;
        this.groups = parts.groups();
        this.members = parts.members();
        this.commits = parts.commits();
        this.reads = parts.reads();
        this.views = parts.views();
        this.lists = parts.lists();
        this.calls = parts.calls();
        this.gets = gets;
        this.throttle = throttle;
        this.pool = pool;
        this.config = config;
        this.ticker = ticker;
    }

    /** Shortest lease that a member can ask for, milliseconds. */
    public long shortestLeaseMillis() {
        return MemberId.shortestLeaseMillis(longestLeaseMillis());
    }

    /** Longest possible lease of a member, milliseconds, and the default. */
    public long longestLeaseMillis() {
        return config.memberTtl().toMillis();
    }

    /**
     * Adds a member and returns the partitions that it reads.
     *
     * @param kind of the member
     * @param address of the client; both are shown in descriptions of the group
     */
    public CompletionStage<GroupMember> join(
            CallContext context, GroupName name, MemberKind kind, String address, long leaseMillis) {
        return context.guarded(() -> {
            GroupAccess group = readable(context, name);
            MemberId id = MemberId.create(kind, address, leaseMillis);
            return run(context, group, () -> members.join(group, id));
        });
    }

    /**
     * Restores a member with its name and lease, whether that has ended or not. It gets its partitions back, except for
     * those that others hold by now.
     */
    public CompletionStage<GroupMember> rejoin(CallContext context, GroupName name, String member) {
        return context.guarded(() -> {
            GroupAccess group = readable(context, name);
            MemberId id = id(member);
            return run(context, group, () -> members.join(group, id));
        });
    }

    /** Removes a member at once. */
    public CompletionStage<Boolean> leave(CallContext context, GroupName name, String member) {
        return context.guarded(() -> {
            GroupAccess group = readable(context, name);
            MemberId id = id(member);
            return run(context, group, () -> {
                members.leave(group, id);
                return true;
            });
        });
    }

    /** Renews the member's lease. */
    public CompletionStage<GroupMember> heartbeat(CallContext context, GroupName name, String member) {
        return context.guarded(() -> {
            GroupAccess group = readable(context, name);
            MemberId id = id(member);
            return run(context, group, () -> new GroupMember(member, id.leaseMillis(), members.extend(group, id)));
        });
    }

    /**
     * Commits, renews the lease, and reads the partitions that the member holds from then on.
     *
     * @return completes with LOCK_VALUE_NOT_EXPECTED for a commit that would go back, CONSUMER_NOT_EXIST if it is not a
     *     member
     */
    public CompletionStage<GroupFetched> fetch(CallContext context, GroupName name, String member, GroupFetch fetch) {
        return context.guarded(() -> {
            TopicRecord topic = readable(context, name).topic();
            MemberId id = id(member);
            long wait = wait(fetch, id);
            GroupReads.RoundRequest round = new GroupReads.RoundRequest(
                    () -> stillReadable(context, name),
                    context.principal(),
                    id,
                    fetch.positions(),
                    fetch.fromLatest(),
                    context.deadlineNanos() + wait);
            GroupReads.FetchState ask = GroupReads.FetchState.begin(
                    round, fetch.commit(), gets.limits(fetch.maxMessages(), fetch.maxBytes()), ticker.nanos() + wait);
            return throttle.get(context, topic, wait, () -> reads.fetch(ask), GroupOperations::bytes);
        });
    }

    /**
     * Renews the lease and balances, for a member that reads its messages by other calls.
     *
     * @param held the partitions that it knows that it holds
     * @param positions of partitions with messages in progress: the offsets from which they are read on
     * @param fromLatest whether a partition that the group never committed begins at its end
     * @return completes with CONSUMER_NOT_EXIST if it is not a member
     */
    public CompletionStage<GroupReads.Balance> balance(
            CallContext context,
            GroupName name,
            String member,
            List<Integer> held,
            Map<Integer, Long> positions,
            boolean fromLatest) {
        return context.guarded(() -> {
            GroupReads.RoundRequest ask = new GroupReads.RoundRequest(
                    () -> stillReadable(context, name),
                    context.principal(),
                    id(member),
                    positions,
                    fromLatest,
                    context.deadlineNanos());
            return reads.balance(ask, held);
        });
    }

    private static long bytes(GroupFetched fetched) {
        return fetched.parts().stream().mapToLong(part -> part.found().bytes()).sum();
    }

    /** Returns the wait, bounded by the lease: a member that is gone while it waits must not keep its partitions. */
    private long wait(GroupFetch fetch, MemberId id) {
        Duration longest = Duration.ofMillis(id.leaseMillis());
        return Stream.of(fetch.longestWait(), config.maxRestWait(), longest)
                .min(Comparator.naturalOrder())
                .orElse(longest)
                .toNanos();
    }

    /**
     * Commits for all partitions or none, LOCK_EXIST if the member no longer holds one of them. Only partitions that no
     * server has now are left for later.
     *
     * @param next partition to the first offset that is not processed
     * @return completes with PARTITION_NOT_SERVING if no server has any of them
     */
    public CompletionStage<GroupCommit> commit(
            CallContext context, GroupName name, String member, Map<Integer, Long> next) {
        return context.guarded(() -> commits.commitAll(
                new GroupCommits.Wanted(readable(context, name), id(member), next, context.deadlineNanos())));
    }

    /** Returns the groups of a topic by name. */
    public CompletionStage<SortedSet<String>> names(CallContext context, String topicName) {
        return context.guarded(() -> {
            TopicRecord topic = topics.byName(topicName);
            Permissions.require(topic, context.principal(), Permission.DESCRIBE_TOPIC);
            return pool.run(
                    context.principal().userId(),
                    topic.resourceName(),
                    context.deadlineNanos(),
                    () -> views.names(topic, context.memory()));
        });
    }

    /**
     * Searches and sorts the groups of the topics that the caller may describe, and returns a page of them.
     *
     * @param topic whose groups are searched; empty for all topics
     */
    public CompletionStage<GroupList> find(
            CallContext context, Optional<String> topic, GroupSort sort, ListQuery query) {
        return context.guarded(() -> {
            if (topic.isPresent()) {
                return pool.run(context, FOUND, caller -> lists.ofTopic(caller, topic.get(), sort, query));
            }
            return lists.all(context.deadlineNanos())
                    .thenCompose(all -> pool.run(context, FOUND, caller -> lists.find(caller, all, sort, query)));
        });
    }

    /** Members, offsets and lag. */
    public CompletionStage<GroupDescription> describe(CallContext context, GroupName name) {
        return context.guarded(() -> views.describe(
                groups.byName(name, context.principal(), Permission.DESCRIBE_TOPIC),
                context.memory(),
                context.deadlineNanos()));
    }

    /** Resets a group's offsets, or returns what a reset would change. */
    public CompletionStage<List<Moved>> reset(CallContext context, GroupName name, GroupReset reset) {
        return context.guarded(() -> views.reset(readable(context, name), reset, context.deadlineNanos()));
    }

    /**
     * Undoes the last reset, or returns what that would change.
     *
     * @param force whether also while the group has members
     * @return completes with LOCK_VALUE_NOT_EXPECTED if there is no reset to undo
     */
    public CompletionStage<List<Moved>> undoReset(CallContext context, GroupName name, boolean preview, boolean force) {
        return context.guarded(() -> views.undoReset(readable(context, name), preview, force, context.deadlineNanos()));
    }

    /**
     * Sets the right of a user, team, or org on a group. A group without an owner, also one that does not exist yet,
     * becomes the caller's.
     */
    public CompletionStage<Boolean> grant(CallContext context, GroupName name, String grantee, GroupRight right) {
        return context.guarded(() -> {
            GroupAccess group = readable(context, name);
            return run(context, group, () -> members.grant(group, grantee, Optional.of(stored(right))));
        });
    }

    private static Right stored(GroupRight right) {
        return switch (right) {
            case READ -> Right.READ;
            case COMMIT -> Right.COMMIT;
            case ADMINISTER -> Right.ADMINISTER;
        };
    }

    /** Revokes the right of a user, team, or org on a group; may be repeated. */
    public CompletionStage<Boolean> revoke(CallContext context, GroupName name, String grantee) {
        return context.guarded(() -> {
            GroupAccess group = readable(context, name);
            return run(context, group, () -> members.grant(group, grantee, Optional.empty()));
        });
    }

    /** Deletes a group that has no members, with its offsets. */
    public CompletionStage<@Nullable Void> delete(CallContext context, String group, TopicTalosResourceName topic) {
        return context.guarded(() -> pool.change(context, key(group, topic), caller -> {
            calls.deleteConsumerGroup(caller, group, topic);
            lists.remove(group, topic);
        }));
    }

    /** Returns the key under which calls about one group of a topic run one after another. */
    static String key(String group, TopicTalosResourceName topic) {
        return group + "@" + topic.getTopicTalosResourceName();
    }

    private <T> CompletionStage<T> run(CallContext context, GroupAccess group, Callable<T> work) {
        return pool.run(group.user(), GroupReads.key(group.group(), group.topic()), context.deadlineNanos(), work);
    }

    private MemberId id(String member) {
        return MemberId.parse(member, longestLeaseMillis());
    }

    private GroupAccess readable(CallContext context, GroupName name) {
        return groups.byName(name, context.principal(), Permission.GET_MESSAGE);
    }

    /** Returns the group for the present caller: a member may have waited since it came. */
    private GroupAccess stillReadable(CallContext context, GroupName name) {
        return groups.byName(name, context.known().get(), Permission.GET_MESSAGE);
    }
}
