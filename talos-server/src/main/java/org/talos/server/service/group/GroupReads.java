// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Principal;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Slice;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.LongWaits;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.group.GroupFetched.Failed;
import org.talos.server.service.group.GroupFetched.Part;
import org.talos.server.service.message.Fetched;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/**
 * Fetches of group members: commits, rows in the control pool, then messages of all partitions that have any, in equal
 * shares. A waiting member is balanced again at intervals; it waits without a thread.
 *
 * <p>Thread-safe.
 */
public final class GroupReads {
    /** The number of times in a lease that a waiting member checks its share, and renews the lease. */
    private static final int ROUNDS_IN_A_LEASE = 6;

    private final GroupCommits commits;
    private final GroupMembers members;
    private final PartitionRoutes routes;
    private final ControlPool pool;
    private final MemoryBudget budget;
    private final Ticker ticker;
    private final LongWaits waits;

    public GroupReads(
            GroupCommits commits,
            GroupMembers members,
            PartitionRoutes routes,
            ControlPool pool,
            MemoryBudget budget,
            Ticker ticker,
            LongWaits waits) {
        this.commits = commits;
        this.members = members;
        this.routes = routes;
        this.pool = pool;
        this.budget = budget;
        this.ticker = ticker;
        this.waits = waits;
    }

    /** Returns the group's topic at present, or fails if the caller may not read it. */
    @FunctionalInterface
    interface Group {
        GroupAccess find();
    }

    /**
     * A request of a member for a round of balancing. Immutable.
     *
     * @param caller the sender: its memory counts as that of its org, if it has one
     * @param positions partition to its next offset, if that is not the committed one
     * @param fromLatest whether a partition that the group never committed begins at its end
     * @param deadlineNanos of the answer
     */
    record RoundRequest(
            Group group,
            Principal caller,
            MemberId member,
            Map<Integer, Long> positions,
            boolean fromLatest,
            long deadlineNanos) {
        RoundRequest {
            positions = Map.copyOf(positions);
        }

        /** Returns the forward context of a request on behalf of the member. */
        private ForwardContext forward() {
            return new ForwardContext(caller.turnId(), deadlineNanos);
        }
    }

    /**
     * A fetch of a member, at one moment of its wait. Immutable.
     *
     * @param commit commits that come first
     * @param limits of all partitions together
     * @param done outcome of its commits, once they were made
     * @param endNanos when the wait is over
     */
    record FetchState(
            RoundRequest round,
            Map<Integer, Long> commit,
            BlockLimits limits,
            GroupCommit done,
            boolean first,
            long endNanos) {
        FetchState {
            commit = Map.copyOf(commit);
        }

        /** Returns a fetch that begins. */
        static FetchState begin(RoundRequest round, Map<Integer, Long> commit, BlockLimits limits, long endNanos) {
            return new FetchState(round, commit, limits, GroupCommit.NOTHING, true, endNanos);
        }

        private String turnId() {
            return round.caller.turnId();
        }

        private MemberId member() {
            return round.member;
        }

        private FetchState committed(GroupCommit nowDone) {
            return new FetchState(round, commit, limits, nowDone, first, endNanos);
        }

        private FetchState again() {
            return new FetchState(round, commit, limits, done, false, endNanos);
        }
    }

    /** A partition of the member, and its next offset. Immutable. */
    private record Place(LogId id, long from, long missed, long end, long committedAt) {}

    /** The partitions that the member holds, and its next offset in each readable one. Immutable. */
    private record Round(GroupMembers.Held held, List<Place> places, List<Failed> failed) {
        private GroupMembership.Share share() {
            return held.share();
        }

        private List<Place> ready() {
            return places.stream()
                    .filter(place -> place.end > place.from)
                    .sorted(Comparator.comparingLong(Place::committedAt))
                    .toList();
        }

        /** Returns whether there is nothing to wait for, or nothing that waiting could change. */
        private Optional<TalosException> failure() {
            return failed.stream()
                    .map(Failed::failure)
                    .filter(each -> places.isEmpty() || each.code() != ErrorCode.PARTITION_NOT_SERVING)
                    .findFirst();
        }
    }

    /**
     * The partitions and offsets of a member that reads by other calls. Immutable.
     *
     * @param partitions all that it holds
     * @param revoking those of them that it must release
     * @param from of those that it may read: partition to the first offset to deliver; empty if nothing has changed for
     *     it
     * @param missed of these, partition to the number of earlier messages that had expired unread, if any
     * @param failed partitions that cannot be read now
     */
    public record Balance(
            List<Integer> partitions,
            List<Integer> revoking,
            Map<Integer, Long> from,
            Map<Integer, Long> missed,
            List<Failed> failed) {
        public Balance {
            partitions = List.copyOf(partitions);
            revoking = List.copyOf(revoking);
            from = Map.copyOf(from);
            missed = Map.copyOf(missed);
            failed = List.copyOf(failed);
        }
    }

    /**
     * Renews the lease and balances; reads nothing.
     *
     * @param held the partitions that the member knows that it holds
     */
    CompletionStage<Balance> balance(RoundRequest ask, List<Integer> held) {
        boolean mayBegin = held.isEmpty() && ask.fromLatest; // the group, at the ends of all partitions
        if (!mayBegin && members.isSettled(ask.group.find(), ask.member, held)) {
            return CompletableFuture.completedFuture(new Balance(held, List.of(), Map.of(), Map.of(), List.of()));
        }
        return round(ask).thenApply(round -> {
            Map<Integer, Long> from = new HashMap<>();
            Map<Integer, Long> missed = new HashMap<>();
            for (Place place : round.places) {
                from.put(place.id.partition(), place.from);
                if (place.missed > 0) {
                    missed.put(place.id.partition(), place.missed);
                }
            }
            return new Balance(round.share().partitions(), round.share().revoking(), from, missed, round.failed);
        });
    }

    /** The messages that were read, and the failures. Confined: to one answer. */
    private static final class Reading {
        private final List<Part> parts = new ArrayList<>();
        private final List<Failed> failed;

        Reading(List<Failed> failed) {
            this.failed = new ArrayList<>(failed);
        }

        private Reading with(Part part) {
            parts.add(part);
            return this;
        }

        private Reading without(int partition, Throwable thrown) {
            failed.add(new Failed(partition, Failures.of(thrown)));
            return this;
        }
    }

    CompletionStage<GroupFetched> fetch(FetchState ask) {
        if (ask.commit.isEmpty()) {
            return read(ask);
        }
        RoundRequest round = ask.round;
        return commits.commit(
                        new GroupCommits.Wanted(round.group.find(), round.member, ask.commit, round.deadlineNanos),
                        (done, held) -> new Committed(ask.committed(done), heldAfter(round, held)))
                .thenCompose(this::readAfter);
    }

    /** A fetch whose commit is stored, and the partitions that the member holds from then on. Immutable. */
    private record Committed(FetchState ask, CompletionStage<GroupMembers.Held> held) {}

    /** @param known the partitions that the member held just now */
    private CompletionStage<GroupMembers.Held> heldAfter(RoundRequest ask, List<Integer> known) {
        try {
            return CompletableFuture.completedFuture(held(ask, Optional.of(known)));
        } catch (MetadataException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<GroupFetched> readAfter(Committed committed) {
        FetchState ask = committed.ask;
        CompletionStage<GroupMembers.Held> held = committed.held;
        return held.thenCompose(each -> round(ask.round, each))
                .thenCompose(round -> follow(ask, round)) // its exception is a failure after the commit too
                .exceptionally(thrown -> {
                    throw afterCommit(ask, thrown);
                });
    }

    /** Returns a failure after a commit: its effect is DONE, or UNKNOWN if a part of the commit was refused. */
    private static TalosException afterCommit(FetchState ask, Throwable thrown) {
        TalosException failure = Failures.of(thrown);
        List<Integer> refused = ask.done.refused();
        return refused.containsAll(ask.commit.keySet())
                ? failure
                : failure.withEffect(refused.isEmpty() ? Effect.DONE : Effect.UNKNOWN);
    }

    static String key(String group, TopicRecord topic) {
        return group + "@" + topic.resourceName();
    }

    private CompletionStage<GroupFetched> read(FetchState ask) {
        return round(ask.round).thenCompose(round -> follow(ask, round));
    }

    /** Uses rows in the pool, without waiting for other servers: workers renew leases there as well. */
    private CompletionStage<Round> round(RoundRequest ask) {
        return inPool(ask, () -> held(ask, Optional.empty())).thenCompose(held -> round(ask, held));
    }

    /** @param known partitions that the member held just now, if that was read */
    private GroupMembers.Held held(RoundRequest ask, Optional<List<Integer>> known) throws MetadataException {
        return members.held(ask.group.find(), ask.member, ask.positions, known);
    }

    private CompletionStage<Round> round(RoundRequest ask, GroupMembers.Held held) {
        TopicRecord topic = held.topic();
        List<LogId> needed = beginsAtEnds(ask, held)
                ? LogId.all(topic.topicId(), topic.partitions())
                : ids(topic, held.share().partitions());
        CompletionStage<Map<LogId, LogBounds>> bounds =
                routes.boundsSoon(needed, ask.caller.turnId(), ask.member.patience());
        boolean isHere = bounds.toCompletableFuture().isDone();
        return bounds.thenCompose(found -> round(ask, held, found, isHere));
    }

    /**
     * Reads of a group that begins follow in a second round, which queries the ends after it has read the commits.
     *
     * @param isHere whether this is the thread that has queried the bounds. If not, it may be the timers' thread, which
     *     ends the wait for a silent server and must not read messages: so the pool continues
     */
    private CompletionStage<Round> round(
            RoundRequest ask, GroupMembers.Held held, Map<LogId, LogBounds> bounds, boolean isHere) {
        if (!beginsAtEnds(ask, held)) {
            return isHere
                    ? CompletableFuture.completedFuture(places(ask, held, bounds))
                    : inPool(ask, () -> places(ask, held, bounds));
        }
        return inPool(ask, () -> {
                    members.beginAtEnds(held.group(), ask.member, bounds);
                    return ask;
                })
                .thenCompose(this::round);
    }

    /** Returns whether the group begins now, at the ends of all partitions. */
    private static boolean beginsAtEnds(RoundRequest ask, GroupMembers.Held held) {
        return ask.fromLatest && held.committed().isEmpty();
    }

    private <T> CompletionStage<T> inPool(RoundRequest ask, Callable<T> work) {
        GroupAccess group = ask.group.find();
        return pool.run(ask.caller.userId(), key(group.group(), group.topic()), ask.deadlineNanos, work);
    }

    /** Reads no row. The caller may have lost the right to read while other servers were queried. */
    private static Round places(RoundRequest ask, GroupMembers.Held held, Map<LogId, LogBounds> bounds) {
        var unused = ask.group.find();
        List<Place> places = new ArrayList<>();
        List<Failed> failed = new ArrayList<>();
        for (int partition : held.share().partitions()) {
            try {
                if (!held.share().revoking().contains(partition)) {
                    LogId id = new LogId(held.topic().topicId(), partition);
                    Optional<CommittedOffset> committed =
                            Optional.ofNullable(held.committed().get(partition));
                    places.add(place(id, ask, PartitionRoutes.served(bounds, id), committed));
                }
            } catch (TalosException e) {
                failed.add(new Failed(partition, e)); // the other partitions are read nevertheless
            }
        }
        return new Round(held.ofItsOwn(), places, failed);
    }

    private static List<LogId> ids(TopicRecord topic, Collection<Integer> partitions) {
        return partitions.stream()
                .map(partition -> new LogId(topic.topicId(), partition))
                .toList();
    }

    private static Place place(LogId id, RoundRequest ask, LogBounds log, Optional<CommittedOffset> committed) {
        @Nullable Long position = ask.positions.get(id.partition());
        long from =
                position != null ? position : committed.isPresent() ? GroupMembers.next(committed.get()) : log.start();
        long start = log.start();
        long end = log.end();
        if (from > log.last()) {
            throw TalosException.refused(
                    ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE,
                    "Message out range: partition " + id.partition() + " ends before " + end
                            + ", the group continues at " + from + "; reset it");
        }
        boolean expired = from < start && (committed.isPresent() || position != null);
        return new Place(
                id,
                Math.max(from, start),
                expired ? start - from : 0,
                end,
                committed.map(CommittedOffset::timestamp).orElse(0L));
    }

    private CompletionStage<GroupFetched> follow(FetchState ask, Round round) {
        List<Place> ready = round.ready();
        if (!ready.isEmpty()) {
            return readHolding(ask, round, ready);
        }
        Optional<TalosException> failure = round.failure();
        if (failure.isPresent() && ask.done.unserved().isEmpty()) {
            throw failure.get();
        }
        boolean mustReport = !ask.first && !round.share().revoking().isEmpty();
        long now = ticker.nanos();
        boolean isOver = now >= ask.endNanos || waits.areOver();
        if (mustReport || !ask.done.refused().isEmpty() || isOver) {
            return CompletableFuture.completedFuture(answer(ask, round, new Reading(round.failed), memory(ask)));
        }
        long interval = ask.member().leaseMillis() * 1_000_000 / ROUNDS_IN_A_LEASE;
        Map<LogId, Long> ends = new HashMap<>();
        round.places.forEach(place -> ends.put(place.id, place.end));
        long until = Math.min(ask.endNanos, now + interval);
        return routes.awaitAny(ends, until, ask.turnId())
                .thenCompose(
                        nothing -> isSettled(ask, round, until) ? lookAgain(ask.again(), round) : read(ask.again()));
    }

    /**
     * Returns whether a round has lasted its time, and the member holds the same partitions, by a row that was read
     * lately. No other worker commits in partitions that it holds; its next request finds a reset by an operator.
     */
    private boolean isSettled(FetchState ask, Round round, long untilNanos) {
        return ticker.nanos() - untilNanos >= 0
                && round.failed.isEmpty()
                && round.share().revoking().isEmpty()
                && members.isSettled(
                        ask.round.group.find(), ask.member(), round.share().partitions());
    }

    /** Looks for messages without a notification; in the pool, since a timer may have ended the wait. */
    private CompletionStage<GroupFetched> lookAgain(FetchState ask, Round round) {
        List<LogId> held = ids(round.held.topic(), round.share().partitions());
        return routes.boundsSoon(held, ask.turnId(), ask.member().patience())
                .thenCompose(bounds -> inPool(ask.round, () -> places(ask.round, round.held, bounds)))
                .thenCompose(again -> again.ready().isEmpty() ? follow(ask, again) : read(ask));
    }

    private static GroupFetched answer(FetchState ask, Round round, Reading reading, RequestMemory held) {
        return new GroupFetched(
                round.share().partitions(), round.share().revoking(), ask.done, reading.parts, reading.failed, held);
    }

    private RequestMemory memory(FetchState ask) {
        return RequestMemory.ofWork(budget.of(ask.turnId()));
    }

    /** Reads, and holds the result of each partition until the answer has been built. */
    private CompletionStage<GroupFetched> readHolding(FetchState ask, Round round, List<Place> ready) {
        RequestMemory held = memory(ask);
        return read(ask, round, ready, held)
                .thenApply(reading -> answer(ask, round, reading, held))
                .whenComplete((fetched, thrown) -> {
                    if (thrown != null) {
                        held.close();
                    }
                });
    }

    /**
     * Reads at most as many partitions as messages are wanted, beginning with those committed longest ago. A failed
     * one, or one whose server does not answer soon, delays none of the others; the read fails only if all do.
     */
    private CompletionStage<Reading> read(FetchState ask, Round round, List<Place> ready, RequestMemory held) {
        List<Place> some = ready.subList(0, Math.min(ready.size(), ask.limits.messages()));
        BlockLimits share =
                new BlockLimits(ask.limits.messages() / some.size(), Math.max(1, ask.limits.bytes() / some.size()));
        ForwardContext soon = routes.soon(ask.round.forward(), ask.member().patience());
        CompletionStage<Reading> all = CompletableFuture.completedFuture(new Reading(round.failed));
        for (Place place : some) {
            CompletionStage<Function<Reading, Reading>> part = read(place, share, soon)
                    .thenApply(slice -> part(place, slice, held))
                    .handle((found, thrown) -> thrown == null
                            ? reading -> reading.with(found)
                            : reading -> reading.without(place.id.partition(), thrown));
            all = all.thenCombine(part, (reading, each) -> each.apply(reading));
        }
        return all.thenApply(reading -> {
            if (reading.parts.isEmpty()) {
                throw reading.failed.get(reading.failed.size() - 1).failure();
            }
            return reading;
        });
    }

    private CompletionStage<Slice> read(Place place, BlockLimits share, ForwardContext soon) {
        try {
            return routes.to(place.id).to().read(place.id, new ReadRequest(place.from, share, 0, 0), soon);
        } catch (TalosException e) { // no server serves it any more
            return CompletableFuture.failedFuture(e);
        }
    }

    /** @throws TalosException EXCESSIVE_PENDING_MESSAGE: the user has no memory left for the partition's messages */
    private static Part part(Place place, Slice slice, RequestMemory held) {
        Fetched found = Fetched.of(place.id, slice);
        held.reserve(found.bytes());
        return new Part(place.id.partition(), place.from, place.missed, found);
    }
}
