// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.name.MemberKind;
import org.talos.server.cluster.ClusterClock;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Location;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.dispatch.Submission;
import org.talos.server.dispatch.TaskExecutor;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.cache.RememberedGroups;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.LongWaits;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.PoolTask;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.partition.serving.SimulatedRoutes;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.PlacedCoordinator;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.ControlPool;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/**
 * The cost of a commit of P partitions: how often it reads the group's row and the offsets, and how often it enters the
 * control pool. Every partition of the topic has five messages, and one member holds all of them.
 *
 * <p>Before the rows were read once, a commit read the group's row 3 + P times and the offsets 1 + 2P times, in two
 * turns of the pool. A fetch with a commit and positions read the group's row 3 + P times and the offsets 3 + 2P times,
 * in four turns.
 */
class GroupCommitCostTest {
    private static final Caller ANN = ControlFixture.caller("ann", false, Set.of(), Set.of());
    private static final int PARTITIONS = 16;
    private static final long END = 5;
    private static final long LEASE_MILLIS = 10_000;
    private static final Location THERE =
            new Location.There(new ClusterMember("two", "127.0.0.1:8082", "127.0.0.1:9082"));

    @TempDir
    private Path data;

    private final PlacedCoordinator coordinator = new PlacedCoordinator();
    private final CountingPool executor = new CountingPool();
    private final FullPartitions partitions = new FullPartitions();
    private ControlFixture fixture;
    private CountingRows store;
    private GroupMembers members;
    private GroupCommits commits;
    private GroupReads reads;
    private GroupAccess group;
    private MemberId member;

    @BeforeEach
    void join() throws Exception {
        fixture = new ControlFixture(data);
        store = new CountingRows(fixture.store);
        fixture.create(ANN, "orders", PARTITIONS);
        group = new GroupAccess(
                fixture.directory.byName("orders").orElseThrow(), "shop", ANN.principal(), user -> Optional.empty());
        ClusterClock clock = ClusterClock.own(fixture);
        Ticker ticker = () -> fixture.millis() * 1_000_000;
        RememberedGroups remembered =
                new RememberedGroups(ticker, clock::suspensions, clock::isCompared, Duration.ofSeconds(30), 1 << 20);
        GroupRows.Bounds bounds = new GroupRows.Bounds(Duration.ofSeconds(30), 100, 10);
        GroupRows rows = new GroupRows(
                fixture.directory, new Groups(store), bounds, fixture.room, clock, remembered, fixture.groupWrites);
        GroupOffsets offsets = new GroupOffsets(fixture.directory, new Offsets(store), fixture.room);
        members = new GroupMembers(rows, offsets, 10, clock);
        PartitionRoutes routes = SimulatedRoutes.toOne(coordinator, partitions, ticker);
        ControlPool pool = new ControlPool(
                executor,
                TestConfig.of(PoolConfig.class)
                        .with("workers", 1)
                        .with("maxWaitingPerKey", 100)
                        .with("maxWaiting", 1_000)
                        .with("maxBatch", 16)
                        .with("starvationBound", Duration.ofSeconds(1))
                        .create());
        commits = new GroupCommits(members, routes, pool);
        reads = new GroupReads(commits, members, routes, pool, new MemoryBudget(1 << 20), ticker, new LongWaits());
        member = MemberId.create(MemberKind.REST, "test", LEASE_MILLIS);
        var unused = members.join(group, member);
        store.forget();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static Map<Integer, Long> ends(int partitions) {
        return IntStream.range(0, partitions).boxed().collect(Collectors.toMap(Function.identity(), each -> END));
    }

    private long deadlineNanos() {
        return (fixture.millis() + 10_000) * 1_000_000;
    }

    private void commit(int partitions) throws Exception {
        GroupCommit done = commits.commitAll(new GroupCommits.Wanted(group, member, ends(partitions), deadlineNanos()))
                .toCompletableFuture()
                .get();
        assertThat(done.refused()).isEmpty();
    }

    /** Begins a fetch that commits this number of partitions, and has read all of them. */
    private CompletionStage<GroupFetched> beginFetch(int partitions) {
        GroupReads.RoundRequest round = new GroupReads.RoundRequest(
                () -> group, group.caller(), member, ends(PARTITIONS), false, deadlineNanos());
        return reads.fetch(GroupReads.FetchState.begin(
                round, ends(partitions), new BlockLimits(10, 1 << 20), fixture.millis() * 1_000_000));
    }

    private void fetch(int partitions) throws Exception {
        try (GroupFetched fetched = beginFetch(partitions).toCompletableFuture().get()) {
            assertThat(fetched.commit().refused()).isEmpty();
            assertThat(fetched.partitions()).hasSize(PARTITIONS);
        }
    }

    private void assertCost(int groupReads, int offsetReads, int turns) {
        assertThat(store.groupReads).as("reads of the group's row").isEqualTo(groupReads);
        assertThat(store.offsetReads).as("reads of offsets").isEqualTo(offsetReads);
        assertThat(executor.turns).as("turns of the control pool").isEqualTo(turns);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 16})
    void commitReadsTheRowAndTheOffsetsOnce(int partitions) throws Exception {
        commit(partitions);

        assertCost(1, 1, 1);
        assertThat(store.writes).isEqualTo(partitions);
    }

    /** The lease was written just now, and lasts. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16})
    void commitForWhichAnotherServerIsAskedReadsTheRowOnce(int partitions) throws Exception {
        coordinator.place(THERE);

        commit(partitions);

        assertCost(1, 1, 1);
    }

    /** The lease was read too long ago to wait for another server by it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16})
    void leaseIsRenewedBeforeAnotherServerIsAsked(int partitions) throws Exception {
        coordinator.place(THERE);
        fixture.advance(Duration.ofSeconds(6));

        commit(partitions);

        assertCost(2, 1, 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 16})
    void fetchReadsTheRowOnceForItsCommitAndItsShare(int partitions) throws Exception {
        fetch(partitions);

        assertCost(1, 2, 1);
        assertThat(store.writes).isEqualTo(partitions);
    }

    /** Such an answer may come on the thread of the timers, which must not read messages. */
    @Test
    void fetchContinuesInThePoolAfterTheAnswerOfAnotherServer() throws Exception {
        coordinator.place(THERE);
        CompletableFuture<Boolean> late = new CompletableFuture<>();
        partitions.answer = late;
        CompletionStage<GroupFetched> fetched = beginFetch(0);
        assertThat(executor.turns).isEqualTo(1);

        late.complete(true);

        assertThat(executor.turns).isEqualTo(2);
        fetched.toCompletableFuture().get().close();
    }

    @Test
    void repeatedCommitWritesNothing() throws Exception {
        commit(PARTITIONS);
        store.forget();

        commit(PARTITIONS);

        assertThat(store.writes).isZero();
    }

    /** Another member joins at another server, and gets half of the partitions. */
    private void share() {
        GroupMembers elsewhere = new GroupMembers(fixture.groupRows(), fixture.groupOffsets(), 10, fixture);
        MemberId other = MemberId.create(MemberKind.REST, "other", LEASE_MILLIS);
        try {
            elsewhere.join(group, other);
            elsewhere.rebalance(group, member, partition -> false);
            assertThat(elsewhere.rebalance(group, other, partition -> false).partitions())
                    .hasSize(PARTITIONS / 2);
        } catch (MetadataException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void commitIsRefusedIfALockIsLostWhileAnotherServerIsAsked() {
        coordinator.place(THERE);
        partitions.meanwhile = this::share;

        assertThatThrownBy(() -> commit(PARTITIONS)).cause().isInstanceOfSatisfying(TalosException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.LOCK_EXIST);
            assertThat(e.effect()).isEqualTo(Effect.NONE);
        });
        assertThat(store.writes).isZero();
    }

    /** Counts the calls of a store. Confined: to the test's thread. */
    private static final class CountingRows implements MetadataStore {
        private static final RowKey GROUPS = RowKey.table('g');
        private static final RowKey OFFSETS = RowKey.table('o');

        private final MetadataStore real;
        private int groupReads;
        private int offsetReads;
        private int writes;

        CountingRows(MetadataStore real) {
            this.real = real;
        }

        private void forget() {
            groupReads = 0;
            offsetReads = 0;
            writes = 0;
        }

        private void count(RowKey read) {
            groupReads += read.startsWith(GROUPS) ? 1 : 0;
            offsetReads += read.startsWith(OFFSETS) ? 1 : 0;
        }

        @Override
        public Optional<Row> get(RowKey key) throws MetadataException {
            count(key);
            return real.get(key);
        }

        @Override
        public List<Row> scan(RowKey prefix, int limit) throws MetadataException {
            count(prefix);
            return real.scan(prefix, limit);
        }

        @Override
        public List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException {
            count(prefix);
            return real.scanAfter(prefix, after, limit);
        }

        @Override
        public OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException {
            writes += key.startsWith(OFFSETS) ? 1 : 0;
            return real.compareAndSet(key, expectedVersion, value);
        }

        @Override
        public boolean compareAndDelete(RowKey key, long expectedVersion) throws MetadataException {
            return real.compareAndDelete(key, expectedVersion);
        }

        @Override
        public void close() {
            real.close();
        }
    }

    /** Runs each task at once. Confined: to the test's thread. */
    private static final class CountingPool implements TaskExecutor<PoolTask<String>> {
        private int turns;

        @Override
        public Submission submit(PoolTask<String> task) {
            turns++;
            task.run();
            return Submission.ACCEPTED;
        }

        @Override
        public void countRefused() {
            throw new AssertionError("nothing is refused here");
        }
    }

    /** Partitions with five messages each, which nobody reads. Confined: to the test's thread. */
    private static final class FullPartitions implements PartitionRequests {
        private Runnable meanwhile = () -> {};
        private CompletionStage<Boolean> answer = CompletableFuture.completedFuture(true);

        @Override
        public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
            meanwhile.run();
            return answer.thenApply(done ->
                    ids.stream().collect(Collectors.toMap(Function.identity(), id -> new LogBounds(0, END, 100))));
        }

        @Override
        public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext forward) {
            throw new UnsupportedOperationException();
        }
    }
}
