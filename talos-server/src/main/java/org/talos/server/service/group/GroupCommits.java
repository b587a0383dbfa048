// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.log.LogFailures;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.service.call.ControlPool;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/**
 * Commits of members that joined over REST. Each first renews the member's lease, since the partitions' servers, which
 * are asked whether the offsets are there, may take their time. A partition that no server has stops no commit of the
 * others.
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

    /** Commits for the partitions that the member holds. */
    CompletionStage<GroupCommit> commit(Wanted wanted) {
        return commit(
                wanted,
                () -> members.extend(wanted.access, wanted.member),
                served -> members.commit(wanted.access, wanted.member, served));
    }

    /**
     * Commits only if the member holds all of the partitions.
     *
     * @return completes with LOCK_EXIST if others hold any, PARTITION_NOT_SERVING if no server has any of them
     */
    CompletionStage<GroupCommit> commitAll(Wanted wanted) {
        return commit(wanted, () -> members.requireHeld(wanted.access, wanted.member, wanted.next.keySet()), served -> {
            if (served.isEmpty() && !wanted.next.isEmpty()) {
                throw LogFailures.notServing();
            }
            members.commitAll(wanted.access, wanted.member, served);
            return List.of();
        });
    }

    /** Stores commits and answers the partitions that others hold. */
    @FunctionalInterface
    private interface Store {
        List<Integer> store(Map<Integer, Long> served) throws MetadataException;
    }

    private CompletionStage<GroupCommit> commit(Wanted wanted, Callable<List<Integer>> extend, Store store) {
        for (int partition : wanted.next.keySet()) {
            if (partition < 0 || partition >= wanted.topic().partitions()) {
                throw TalosException.refused(ErrorCode.PARTITION_NOT_EXIST, "no partition " + partition);
            }
        }
        return inPool(wanted, extend)
                .thenCompose(held -> routes.boundsSoon(wanted.ids(), wanted.access.user(), wanted.member.patience()))
                .thenCompose(bounds -> inPool(wanted, () -> stored(wanted, bounds, store)));
    }

    private <T> CompletionStage<T> inPool(Wanted wanted, Callable<T> work) {
        String key = GroupReads.key(wanted.access.group(), wanted.topic());
        return pool.run(wanted.access.user(), key, wanted.deadlineNanos, work);
    }

    private static GroupCommit stored(Wanted wanted, Map<LogId, LogBounds> bounds, Store store)
            throws MetadataException {
        Map<Integer, Long> served = new TreeMap<>();
        List<Integer> unserved = new ArrayList<>();
        for (Map.Entry<Integer, Long> each : new TreeMap<>(wanted.next).entrySet()) {
            @Nullable LogBounds log = bounds.get(new LogId(wanted.topic().topicId(), each.getKey()));
            if (log == null) {
                unserved.add(each.getKey());
            } else {
                requireThere(each.getKey(), each.getValue(), log.last());
                served.put(each.getKey(), each.getValue());
            }
        }
        return new GroupCommit(store.store(served), unserved);
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
