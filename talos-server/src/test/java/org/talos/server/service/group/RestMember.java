// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.talos.common.error.TalosException;
import org.talos.server.log.BlockLimits;
import org.talos.thrift.ErrorCode;

/**
 * A member over REST, or by a stream: these read on their own what the server gives them by balancing.
 *
 * <p>Confined: a fiber of its own.
 */
final class RestMember implements GroupActor {
    private static final BlockLimits LIMITS = new BlockLimits(200, 1 << 20);

    private final GroupWorld world;
    private final GroupClient client;
    private final String name;
    private final long leaseMillis;
    private final boolean streams;
    private final boolean readsAhead;
    private final Map<Integer, Long> done = new TreeMap<>(); // partition to the first offset not processed
    private final Map<Integer, Long> reads = new TreeMap<>(); // of a stream: partition to the next offset
    private List<Integer> held = List.of(); // by a stream, after its last answer
    private Optional<MemberId> id = Optional.empty();
    private long lasts; // until when the lease lasts at least
    private int joined;
    private boolean ends;
    private boolean leaves;

    RestMember(GroupWorld world, String name) {
        this.world = world;
        this.name = name;
        client = new GroupClient(world);
        leaseMillis = 12_000L + world.random.nextInt(18_000);
        streams = world.oneIn(3);
        readsAhead = streams || world.random.nextBoolean();
    }

    @Override
    public void end(boolean thenLeaves) {
        ends = true;
        leaves = thenLeaves;
    }

    @Override
    public void live() {
        while (!ends) {
            try {
                act();
            } catch (TalosException e) {
                fail(e);
            }
            long silence = !world.isCalm() && world.oneIn(40) ? 40_000 : leaseMillis / 5;
            world.fibers.sleep(world.upToMillis((int) silence));
        }
        if (leaves && id.isPresent()) {
            leave(id.get());
        }
    }

    private void act() {
        if (id.isEmpty()) {
            join();
        } else if (streams) {
            balance(id.get());
            commit(id.get());
        } else {
            fetch(id.get());
        }
    }

    private void fail(TalosException e) {
        world.fibers.note(name + ": " + e.code() + " " + e.getMessage());
        held = List.of(); // a stream begins again
        reads.clear();
        if (e.code() == ErrorCode.CONSUMER_NOT_EXIST) {
            client.requireOver(name, lasts);
            id = Optional.empty();
            done.clear();
        } else if (e.code() == ErrorCode.LOCK_VALUE_NOT_EXPECTED || e.code() == ErrorCode.LOCK_EXIST) {
            done.clear();
        } else if (e.code() == ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE) {
            throw world.fibers.violated(GroupModel.NO_SKIP, name + ": " + e.getMessage());
        }
        lasts = Math.min(lasts, client.lasts(0) == 0 ? 0 : lasts);
    }

    private void renewed() {
        lasts = client.lasts(leaseMillis);
    }

    private void join() {
        String unique = HexFormat.of().toHexDigits(world.random.nextLong());
        MemberId next = new MemberId("10_0_0_1-rest-" + leaseMillis + "-" + unique, leaseMillis);
        GroupMember member = client.call(server -> server.run(() -> server.members.join(server.access(), next)));
        joined++;
        world.fibers.note(name + " joins for the " + joined + ". time as " + next.text() + " " + member.partitions());
        id = Optional.of(next);
        done.clear();
        renewed();
    }

    private GroupReads.RoundRequest round(
            GroupServer server, MemberId member, Map<Integer, Long> positions, Duration wait) {
        return new GroupReads.RoundRequest(
                server::access,
                GroupWorld.USER,
                member,
                positions,
                world.fromLatest,
                server.deadlineNanos() + wait.toNanos());
    }

    private void fetch(MemberId member) {
        boolean commits = !readsAhead || world.oneIn(3);
        Map<Integer, Long> commit = commits ? Map.copyOf(done) : Map.of();
        Map<Integer, Long> positions = commits ? Map.of() : Map.copyOf(done);
        Duration wait = Duration.ofMillis(world.oneIn(3) ? world.random.nextInt((int) leaseMillis / 2) : 0);
        GroupFetched fetched = client.call(
                server -> server.reads.fetch(GroupReads.FetchState.begin(
                        round(server, member, positions, wait),
                        commit,
                        LIMITS,
                        server.machine.nanos() + wait.toNanos())),
                found -> world.model.fetched());
        fetched.close();
        renewed();
        commit.keySet().stream()
                .filter(partition -> !fetched.commit().unserved().contains(partition))
                .forEach(done::remove);
        done.keySet().retainAll(fetched.partitions());
        for (GroupFetched.Part part : fetched.parts()) {
            int messages = part.found().blocks().stream()
                    .mapToInt(block -> block.getMessageNumber())
                    .sum();
            process(part.partition(), part.from(), part.from() + messages);
        }
    }

    private void process(int partition, long from, long to) {
        world.model.process(name, partition, from, to);
        done.put(partition, to);
    }

    private void balance(MemberId member) {
        Map<Integer, Long> positions = Map.copyOf(done);
        List<Integer> known = held;
        GroupReads.Balance balance = client.call(
                server -> server.reads.balance(round(server, member, positions, Duration.ZERO), known),
                found -> world.model.fetched());
        renewed();
        done.keySet().retainAll(balance.partitions());
        reads.keySet().retainAll(balance.partitions());
        reads.keySet().removeAll(balance.revoking());
        balance.from().forEach(reads::putIfAbsent);
        reads.replaceAll((partition, from) -> {
            long end = world.model.end(partition);
            process(partition, from, end);
            return end;
        });
        held = List.copyOf(reads.keySet());
    }

    private void commit(MemberId member) {
        Map<Integer, Long> next = new HashMap<>(done);
        if (next.isEmpty() || world.oneIn(2)) {
            return;
        }
        GroupCommit commit = client.call(server -> server.commits.commitAll(
                new GroupCommits.Wanted(server.access(), member, next, server.deadlineNanos())));
        renewed();
        next.keySet().removeAll(commit.refused());
        next.forEach((partition, offset) -> done.remove(partition, offset));
    }

    private void leave(MemberId member) {
        try {
            var unused = client.call(server -> server.run(() -> {
                server.members.leave(server.access(), member);
                return CompletableFuture.completedFuture(true);
            }));
        } catch (TalosException e) {
            world.fibers.note(name + " leaves without an answer: " + e.getMessage());
        }
    }
}
