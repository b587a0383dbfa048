// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.log.LogFailures;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.service.call.ControlPool;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/**
 * Commits of members that joined over REST. The rows are read once, in one turn of the pool with the writes. Other
 * servers may take long to confirm that the offsets exist, so the member's lease is renewed before that unless it lasts
 * long enough. A partition without a server stops no commit of the others.
 *
 * <p>Thread-safe. Nothing blocks.
 */
public final class GroupCommits {
    private final GroupMembers members;
    private final PartitionRoutes routes;
    private final ControlPool pool;

    public GroupCommits(GroupMembers members, PartitionRoutes routes, ControlPool pool) {
        this.members = members;
        this.routes = routes;
        this.pool = pool;
    }

    /**
     * The commits that a member wants. Immutable.
     *
     * @param next partition to the first offset that is not processed
     */
    record Wanted(GroupAccess access, MemberId member, Map<Integer, Long> next, long deadlineNanos) {
        Wanted {
            next = Map.copyOf(next);
        }

        private TopicRecord topic() {
            return access.topic();
        }

        private List<LogId> ids() {
            return next.keySet().stream()
                    .map(partition -> new LogId(topic().topicId(), partition))
                    .toList();
        }
    }

    /**
     * Commits for the partitions that the member holds.
     *
     * @param then follows in the same turn of the pool, with the outcome and the partitions that the member holds. Must
     *     not throw, since the commit is stored
     */
    <T> CompletionStage<T> commit(Wanted wanted, BiFunction<GroupCommit, List<Integer>, T> then) {
        return commit(wanted, this::store, then);
    }

    /**
     * Commits only if the member holds all of the partitions.
     *
     * @return completes with LOCK_EXIST if others hold any, PARTITION_NOT_SERVING if no server has any of them
     */
    CompletionStage<GroupCommit> commitAll(Wanted wanted) {
        return commit(wanted, this::storeAll, (done, held) -> done);
    }

    /** Stores commits. */
    @FunctionalInterface
    private interface Store {
        GroupCommit store(Wanted wanted, GroupMembers.Standing standing, Map<LogId, LogBounds> bounds)
                throws MetadataException;
    }

    private <T> CompletionStage<T> commit(Wanted wanted, Store store, BiFunction<GroupCommit, List<Integer>, T> then) {
        for (int partition : wanted.next.keySet()) {
            if (partition < 0 || partition >= wanted.topic().partitions()) {
                throw TalosException.refused(ErrorCode.PARTITION_NOT_EXIST, "no partition " + partition);
            }
        }
        List<LogId> ids = wanted.ids();
        return extended(wanted, ids)
                .thenCompose(held -> routes.boundsSoon(ids, wanted.access.turnId(), wanted.member.patience()))
                .thenCompose(bounds -> inPool(wanted, () -> {
                    GroupMembers.Standing standing =
                            members.standing(wanted.access, wanted.member, wanted.next.keySet());
                    return then.apply(store.store(wanted, standing, bounds), standing.held());
                }));
    }

    /** Renews the member's lease if other servers are asked and it does not last long enough. */
    private CompletionStage<List<Integer>> extended(Wanted wanted, List<LogId> ids) {
        return !routes.isAnyElsewhere(ids) || members.isExtended(wanted.access, wanted.member)
                ? CompletableFuture.completedFuture(List.of())
                : inPool(wanted, () -> members.extend(wanted.access, wanted.member));
    }

    private <T> CompletionStage<T> inPool(Wanted wanted, Callable<T> work) {
        String key = GroupReads.key(wanted.access.group(), wanted.topic());
        return pool.run(wanted.access.user(), key, wanted.deadlineNanos, work);
    }

    private GroupCommit store(Wanted wanted, GroupMembers.Standing standing, Map<LogId, LogBounds> bounds)
            throws MetadataException {
        Served served = Served.of(wanted, bounds);
        List<Integer> lost = members.commit(wanted.access, wanted.member, standing, served.next);
        return new GroupCommit(lost, served.missing);
    }

    private GroupCommit storeAll(Wanted wanted, GroupMembers.Standing standing, Map<LogId, LogBounds> bounds)
            throws MetadataException {
        standing.requireHeld(wanted.next.keySet());
        Served served = Served.of(wanted, bounds);
        if (served.next.isEmpty() && !wanted.next.isEmpty()) {
            throw LogFailures.notServing();
        }
        members.commitAll(wanted.access, wanted.member, standing, served.next);
        return new GroupCommit(List.of(), served.missing);
    }

    /**
     * The commits that can be stored now. Immutable.
     *
     * @param next as wanted, in the order of partitions
     * @param missing partitions that no server has
     */
    private record Served(SortedMap<Integer, Long> next, List<Integer> missing) {
        static Served of(Wanted wanted, Map<LogId, LogBounds> bounds) {
            SortedMap<Integer, Long> served = new TreeMap<>();
            List<Integer> missing = new ArrayList<>();
            new TreeMap<>(wanted.next).forEach((partition, offset) -> {
                @Nullable LogBounds log = bounds.get(new LogId(wanted.topic().topicId(), partition));
                if (log == null) {
                    missing.add(partition);
                } else {
                    requireThere(partition, offset, log.last());
                    served.put(partition, offset);
                }
            });
            return new Served(served, missing);
        }
    }

    /** Refuses to commit an offset behind the end of its partition. */
    private static void requireThere(int partition, long offset, long end) {
        if (offset > end) {
            throw TalosException.refused(
                    ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE,
                    "Message out range: partition " + partition + " ends before " + end + ", not " + offset);
        }
    }
}
