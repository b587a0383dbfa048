// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.talos.common.error.TalosException;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.Caller;
import org.talos.server.testing.AmpleMemory;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.QueryOffsetRequest;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UnlockPartitionRequest;
import org.talos.thrift.UpdateOffsetRequest;
import org.talos.thrift.UpdateOffsetResponse;

/**
 * A worker of an SDK, which balances by itself.
 *
 * <p>Confined: a fiber of its own.
 */
final class SdkWorker implements GroupActor {
    private static final Caller CALLER = new Caller(GroupWorld.USER, "test", new AnswerMemory(AmpleMemory.ofRequest()));

    private final GroupWorld world;
    private final GroupClient client;
    private final String name;
    private final boolean namesLast; // what is stored, with each commit
    private final Map<Integer, Long> positions = new TreeMap<>(); // partition to the first offset not processed
    private final Map<Integer, Long> committed = new HashMap<>();
    private final Map<Integer, Long> lasts = new HashMap<>(); // partition to when its lock lasts at least
    private boolean registered;
    private boolean ends;
    private boolean leaves;

    SdkWorker(GroupWorld world, String name) {
        this.world = world;
        this.name = "sdk-" + name;
        client = new GroupClient(world);
        namesLast = world.random.nextBoolean();
    }

    @Override
    public void end(boolean thenLeaves) {
        ends = true;
        leaves = thenLeaves;
    }

    @Override
    public void live() {
        while (!ends) {
            act();
            int silence = !world.isCalm() && world.oneIn(40) ? 60_000 : 6_000;
            world.fibers.sleep(world.upToMillis(silence));
        }
        if (leaves) {
            attempt(() -> {
                commit();
                unlock(List.copyOf(positions.keySet()));
            });
        }
    }

    private void act() {
        attempt(() -> {
            if (!registered) {
                call(server -> server.consumers.lockWorker(CALLER, new LockWorkerRequest(unit(List.of()))));
                registered = true;
            }
            renew();
            read();
            balance();
        });
    }

    private void read() {
        positions.replaceAll((partition, from) -> {
            long end = world.model.end(partition);
            world.model.process(name, partition, from, end);
            return end;
        });
        if (world.random.nextBoolean()) {
            commit();
        }
    }

    private void attempt(Runnable calls) {
        try {
            calls.run();
        } catch (TalosException e) {
            world.fibers.note(name + ": " + e.code() + " " + e.getMessage());
            if (client.lasts(0) == 0) {
                lasts.clear();
            }
        }
    }

    /** A call to one server, which handles it at once. */
    @FunctionalInterface
    private interface Handled<T> {
        T by(GroupServer server) throws Exception;
    }

    private <T> T call(Handled<T> handled) {
        return client.call(server -> CompletableFuture.completedFuture(handled.by(server)));
    }

    private TopicTalosResourceName topic() {
        return new TopicTalosResourceName(world.topic().resourceName());
    }

    private TopicAndPartition partition(int number) {
        return new TopicAndPartition("orders", topic(), number);
    }

    private ConsumeUnit unit(List<Integer> partitions) {
        return new ConsumeUnit(GroupWorld.GROUP, topic(), partitions, name);
    }

    private void renew() {
        List<Integer> held = List.copyOf(positions.keySet());
        int[] known = new int[1]; // partitions, by the server that answers
        List<Integer> lost = call(server -> {
                    known[0] = server.access().topic().partitions();
                    return server.consumers.renew(CALLER, new RenewRequest(unit(held)));
                })
                .getFailedPartitionList();
        for (int partition : lost) {
            if (partition < known[0]) {
                client.requireOver(name + " in partition " + partition, lasts.getOrDefault(partition, 0L));
            }
        }
        held.forEach(partition -> lasts.put(partition, client.lasts(GroupServer.TTL.toMillis())));
        positions.keySet().removeAll(lost);
        lasts.keySet().removeAll(lost);
    }

    private void commit() {
        for (Map.Entry<Integer, Long> each : new TreeMap<>(positions).entrySet()) {
            commit(each.getKey(), each.getValue());
        }
    }

    private void commit(int partition, long next) {
        long last = committed.getOrDefault(partition, 0L);
        if (next == last) {
            return;
        }
        CheckPoint checkpoint = new CheckPoint(GroupWorld.GROUP, partition(partition), next - 1, name);
        if (namesLast) {
            checkpoint.setLastCommitOffset(last - 1);
        }
        UpdateOffsetResponse answer = commit(checkpoint);
        if (answer.isSuccess()) {
            committed.put(partition, next);
        } else if (answer.isLockLost()) {
            positions.remove(partition);
            lasts.remove(partition);
        } else {
            begin(partition);
        }
    }

    /** One attempt and, if it has no answer, another one: the first may still be under way then. */
    private UpdateOffsetResponse commit(CheckPoint checkpoint) {
        try {
            return call(server -> server.consumers.updateOffset(CALLER, new UpdateOffsetRequest(checkpoint)));
        } catch (TalosException e) {
            world.fibers.note(name + " commits again: " + e.code());
            return call(server -> server.consumers.updateOffset(CALLER, new UpdateOffsetRequest(checkpoint)));
        }
    }

    /** Reads on where the group has come to. */
    private void begin(int partition) {
        long next = call(server -> server.consumers.queryOffset(
                                CALLER, new QueryOffsetRequest(GroupWorld.GROUP, partition(partition))))
                        .getMsgOffset()
                + 1;
        positions.put(partition, next);
        committed.put(partition, next);
    }

    private void balance() {
        Map<String, List<Integer>> members = call(server ->
                        server.consumers.queryWorker(CALLER, new QueryWorkerRequest(GroupWorld.GROUP, topic())))
                .getWorkerMap();
        int partitions = world.model.partitions();
        int target = target(members, partitions);
        if (positions.size() > target) {
            commit();
            unlock(List.copyOf(positions.keySet()).subList(target, positions.size()));
        } else if (positions.size() < target) {
            take(members, partitions, target - positions.size());
        }
    }

    /** Worked out again from the protocol's text, not by the server's code. */
    private int target(Map<String, List<Integer>> members, int partitions) {
        List<String> sorted = new ArrayList<>(members.keySet());
        sorted.sort(Comparator.<String>comparingInt(
                        each -> -members.getOrDefault(each, List.of()).size())
                .thenComparing(Comparator.reverseOrder()));
        int place = sorted.indexOf(name);
        return place < 0 ? positions.size() : partitions / sorted.size() + (place < partitions % sorted.size() ? 1 : 0);
    }

    private void take(Map<String, List<Integer>> members, int partitions, int lacking) {
        List<Integer> free = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            free.add(partition);
        }
        members.values().forEach(free::removeAll);
        Collections.shuffle(free, world.random);
        for (int partition : free.subList(0, Math.min(lacking, free.size()))) {
            List<Integer> locked = call(server ->
                            server.consumers.lockPartition(CALLER, new LockPartitionRequest(unit(List.of(partition)))))
                    .getSuccessPartitions();
            if (locked.contains(partition)) {
                long lockLasts = client.lasts(GroupServer.TTL.toMillis());
                begin(partition);
                lasts.put(partition, lockLasts);
            }
        }
    }

    private void unlock(List<Integer> some) {
        positions.keySet().removeAll(some);
        lasts.keySet().removeAll(some);
        Optional<Boolean> unused = call(server -> {
            server.consumers.unlockPartition(CALLER, new UnlockPartitionRequest(unit(some)));
            return Optional.of(true);
        });
    }
}
