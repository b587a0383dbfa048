// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.Location;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.cluster.zookeeper.SimulatedClock;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.ServiceConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.cache.RememberedGroups;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.partition.serving.LongWaits;
import org.talos.server.partition.serving.PoolTask;
import org.talos.server.partition.serving.SimulatedRoutes;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.runtime.thread.HandTurnedWheel;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.call.DiskRoom;
import org.talos.server.simulation.MemoryRows;
import org.talos.server.simulation.fiber.FiberMachine;
import org.talos.server.simulation.fiber.FiberPool;
import org.talos.server.simulation.fiber.FiberTasks;
import org.talos.thrift.ErrorCode;

/**
 * A server with the real code of groups, on a machine with clocks of its own.
 *
 * <p>Confined: as {@link org.talos.server.simulation.fiber.Fibers}.
 */
final class GroupServer implements InstantSource {
    static final Duration TTL = Duration.ofSeconds(30);

    private static final long RIGHT_MILLIS = 1_500; // a clock is right if it differs by no more
    private static final long TURN_NANOS = 200 * GroupWorld.MILLI;
    private static final Duration DEADLINE = Duration.ofSeconds(15);
    private static final PoolConfig POOL = TestConfig.of(PoolConfig.class)
            .with("workers", 8)
            .with("maxWaitingPerKey", 1_000)
            .with("maxWaiting", 10_000)
            .with("maxBatch", 16)
            .with("starvationBound", Duration.ofSeconds(1))
            .create();
    private static final ServiceConfig CONFIG = TestConfig.of(ServiceConfig.class)
            .with("maxGetMessages", 1_000)
            .with("maxGetBytes", 1 << 20)
            .with("memberTtl", TTL)
            .with("maxMembersPerGroup", 100)
            .with("maxGroupsPerUser", 100)
            .with("checkBlocks", true)
            .with("partitionChangeInterval", Duration.ofMinutes(5))
            .with("shutdownGrace", Duration.ofSeconds(1))
            .create();

    final FiberMachine machine;
    final GroupMembers members;
    final GroupCommits commits;
    final GroupReads reads;
    final ConsumerCalls consumers;
    final ControlPool pool;

    private final GroupWorld world;
    private final TopicDirectory directory;
    private final HandTurnedWheel timers;
    private final FiberPool work;
    private final SimulatedClock clock;
    private long aheadMillis; // of the machine's wall clock, without what suspensions took
    private long correctedNanos; // of what suspensions took, what was added to the wall clock since
    private boolean started;
    private boolean registered;

    GroupServer(GroupWorld world, String name) throws MetadataException {
        this.world = world;
        machine = world.fibers.machine(name);
        aheadMillis = world.random.nextInt(40_000) - 20_000L;
        work = new FiberPool(world.fibers, machine);
        clock = new SimulatedClock(name, this, machine::nanos, this::writeToZooKeeper, work);
        timers = HandTurnedWheel.of(machine::nanos);
        directory = TopicDirectory.load(new Topics(world.rows.view(MemoryRows.Faults.NONE)));
        MetadataStore rows = world.rows.view(world.rowFaults(machine));
        Groups groups = new Groups(rows);
        DiskRoom room = new DiskRoom(DiskSpace.none());
        GroupOffsets offsets = new GroupOffsets(directory, new Offsets(rows), room);
        RememberedGroups remembered = new RememberedGroups(
                machine::nanos, clock.clock()::suspensions, clock.clock()::isCompared, TTL, 1 << 20);
        GroupRows groupRows = new GroupRows(
                directory,
                groups,
                GroupRows.Bounds.of(CONFIG),
                room,
                clock.clock(),
                remembered,
                new RowWrites(machine::nanos));
        members = new GroupMembers(groupRows, offsets, 100, clock.clock());
        pool = new ControlPool(new FiberTasks<>(world.fibers, machine, PoolTask::run), POOL);
        LongWaits waits = new LongWaits();
        var routes = SimulatedRoutes.elsewhere(
                new Places(), member -> new ModelPartitions(world, machine), machine::nanos, timers.wheel(), waits);
        commits = new GroupCommits(members, routes, pool);
        reads = new GroupReads(commits, members, routes, pool, new MemoryBudget(1L << 40), machine::nanos, waits);
        consumers = new ConsumerCalls(
                directory, groupRows, offsets, CONFIG, clock.clock(), () -> registered, user -> Optional.empty());
    }

    /** Compares the clocks for the first time, and serves from then on. */
    void start() {
        clock.begin();
        work.execute(() -> {
            registered = true;
            started = true;
        });
        turn();
    }

    private void turn() {
        timers.turn();
        world.fibers.after(TURN_NANOS, machine, this::turn);
    }

    private long writeToZooKeeper() {
        world.fibers.sleep(world.upToMillis(50));
        long written = world.wallMillis();
        world.fibers.sleep(world.upToMillis(50));
        return written;
    }

    /** Returns what the machine's wall clock shows. */
    @Override
    public Instant instant() {
        long missed = machine.suspendedNanos() - correctedNanos;
        return Instant.ofEpochMilli(world.wallMillis() - missed / GroupWorld.MILLI + aheadMillis);
    }

    /** Sets the machine's wall clock. */
    void setClock(long nowAheadMillis) {
        aheadMillis = nowAheadMillis;
        correctedNanos = machine.suspendedNanos();
    }

    /** Suspends the machine. The server does not know of it before it learns that its session has ended. */
    void suspend(long nanos) {
        world.fibers.note(machine.name() + " is suspended for " + nanos / GroupWorld.SECOND + " s");
        machine.suspend(nanos);
        world.fibers.after(nanos + world.upToMillis(3_000), machine, () -> {
            registered = false;
            clock.register();
            work.execute(() -> registered = true);
            world.fibers.note("registered again");
        });
        world.fibers.after(nanos + world.upToMillis(60_000), machine, () -> setClock(0));
    }

    /** Returns whether the server's idea of the cluster's time is right. */
    boolean isRight() {
        return Math.abs(clock.clock().millis() - world.wallMillis()) <= RIGHT_MILLIS;
    }

    /** Adds a partition to the topic, for a client that asks this server. */
    void grow() throws MetadataException {
        var unused = directory.update(
                world.topic().topicId(), topic -> topic.withPartitions(world.model.partitions(), world.wallMillis()));
    }

    /** Learns what other servers have changed about the topic. */
    void refresh() {
        try {
            var unused = directory.refresh();
        } catch (MetadataException e) {
            throw new IllegalStateException(e); // topics do not fail here
        }
    }

    GroupAccess access() {
        return new GroupAccess(
                directory.byId(world.topic().topicId()).orElseThrow(),
                GroupWorld.GROUP,
                GroupWorld.USER,
                user -> Optional.empty());
    }

    long deadlineNanos() {
        return machine.nanos() + DEADLINE.toNanos();
    }

    /** Runs a call of the group's in the pool, as {@code GroupOperations} does. */
    <T> CompletionStage<T> run(Callable<T> task) {
        GroupAccess access = access();
        return pool.run(access.user(), GroupReads.key(access.group(), access.topic()), deadlineNanos(), task);
    }

    /** A call, as its client knows it. Confined: as the server. */
    static final class Call<T> {
        final CompletableFuture<T> answer = new CompletableFuture<>();
        private final GroupServer server;
        private boolean over;
        private boolean right = true;

        Call(GroupServer server) {
            this.server = server;
        }

        /** Returns whether the server may still do something for the call. */
        boolean mayRun() {
            return !over && !server.machine.isEnded();
        }

        /** Returns whether the server knew the time while it handled the call. */
        boolean wasRight() {
            return right;
        }
    }

    /** Handles a call of a client. Request and answer take their time, and either may be lost. */
    <T> Call<T> call(Callable<CompletionStage<T>> handler, Consumer<T> done) {
        Call<T> call = new Call<>(this);
        if (world.losesMessage()) {
            call.over = true;
            return call;
        }
        world.fibers.after(
                world.networkNanos(),
                machine,
                () -> world.fibers.spawn(machine, () -> {
                    call.right = isRight();
                    var unused = handle(handler).whenComplete((result, error) -> {
                        call.over = true;
                        call.right &= isRight();
                        if (error == null) {
                            done.accept(result);
                        }
                        answer(call, result, error);
                    });
                }));
        return call;
    }

    private <T> CompletionStage<T> handle(Callable<CompletionStage<T>> handler) {
        if (!started) {
            return CompletableFuture.failedFuture(
                    TalosException.refused(ErrorCode.PARTITION_NOT_SERVING, "not started"));
        }
        try {
            return handler.call();
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private <T> void answer(Call<T> call, T result, Throwable error) {
        if (!world.losesMessage()) {
            world.fibers.after(world.networkNanos(), world.fibers.outside(), () -> {
                if (error == null) {
                    call.answer.complete(result);
                } else {
                    call.answer.completeExceptionally(error);
                }
            });
        }
    }

    /** Locates all partitions elsewhere. Confined: as the server. */
    private final class Places implements Coordinator {
        private final ClusterMember other = new ClusterMember("other", "127.0.0.1:1", "127.0.0.1:2");

        @Override
        public Location locate(String topicId, int partition) {
            return new Location.There(other); // which may answer that it does not serve the partition
        }

        @Override
        public Optional<String> address(String topicId, int partition) {
            return Optional.empty();
        }

        @Override
        public List<ClusterMember> others() {
            return List.of(other);
        }

        @Override
        public boolean isConnected() {
            return registered;
        }

        @Override
        public void topicChanged(String topicId, int partitions) {
            // the simulation refreshes
        }

        @Override
        public void rowsChanged() {
            // the simulation refreshes
        }

        @Override
        public void onRowsChanged(Runnable listener) {
            // the simulation refreshes
        }

        @Override
        public void onChange(Consumer<OwnershipChange> listener) {
            // nothing is owned here
        }

        @Override
        public void close() {
            // nothing to end
        }
    }
}
