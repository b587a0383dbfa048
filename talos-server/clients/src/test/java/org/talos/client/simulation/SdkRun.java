// SPDX-License-Identifier: Apache-2.0
package org.talos.client.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.talos.client.SimulatedClients;
import org.talos.client.TalosClient;
import org.talos.client.transport.SimulatedCalls;
import org.talos.common.message.MalformedBlockException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.simulation.SimulationRuns;

/**
 * One run: members and producers come and go, are paused and killed, and the network fails, in an order that a seed
 * gives. In the end faults stop, and the group has to come to rest.
 *
 * <p>Confined: the simulation's thread.
 */
final class SdkRun implements SimulationRuns.Run {
    private static final long SECOND = 1_000_000_000L;
    private static final int STEPS = 40;
    private static final int MOST_MEMBERS = 4;
    private static final int LATEST_MILLIS = 40_000;
    /** After that nothing is under way any more, and who has not renewed is not a member. */
    private static final long QUIET = ModelServers.TTL.toNanos() + 2 * LATEST_MILLIS * 1_000_000L;

    private static final long REST = 240 * SECOND;
    /** Log lines of the client about simulated failures, or about members that are killed. */
    private static final List<String> EXPECTED_ERRORS = List.of("processor failed");

    private final Random random;
    private final Turns turns;
    private final Observations observations;
    private final ModelServers servers;
    private final SimulatedCalls.Faults faults = new SimulatedCalls.Faults();
    private final List<Member> members = new ArrayList<>();
    private final List<Producer> producers = new ArrayList<>();
    private final List<Machine> machines = new ArrayList<>();
    private final int partitions;
    private final boolean startsAtEnd;
    private boolean calm;

    SdkRun(long seed) throws MetadataException {
        random = new Random(seed);
        turns = new Turns(random);
        partitions = 1 + random.nextInt(6);
        startsAtEnd = random.nextInt(4) == 0;
        observations = new Observations(turns, partitions, startsAtEnd);
        servers = new ModelServers(turns, partitions, observations);
        observations.servers(servers);
    }

    @Override
    public List<String> history() {
        return turns.history();
    }

    @Override
    public void errorLogged(String message) {
        Turns.SimulatedThread running = turns.running();
        boolean isExpected = (running != null && running.machine.isKilled())
                || EXPECTED_ERRORS.stream().anyMatch(message::startsWith);
        if (!isExpected) {
            var unused = turns.violated("logged: " + message);
        }
    }

    @Override
    public void run() throws Exception {
        try {
            addProducer();
            for (int step = 0; step < STEPS; step++) {
                disturb();
                pass(random.nextInt(5_000) * 1_000_000L);
            }
            rest();
        } finally {
            machines.forEach(Machine::kill);
            turns.end();
        }
    }

    private void pass(long nanos) {
        boolean unused = turns.runUntil(turns.nanos() + nanos, () -> false);
    }

    private void disturb() throws MetadataException {
        switch (random.nextInt(24)) {
            case 0, 1, 2, 3, 4 -> addMember();
            case 5, 6 -> member().close();
            case 7 -> kill(member().machine());
            case 8, 9 -> member().machine().pause(random.nextInt(60) * SECOND);
            case 10, 11, 12 -> faults.set(random.nextInt(200), 1 + random.nextInt(LATEST_MILLIS));
            case 13, 14 -> faults.set(0, 5);
            case 15, 16 ->
                servers.partitions().get(random.nextInt(partitions)).moveTo(random.nextBoolean() ? "a:1" : "b:1");
            case 17 -> addProducer();
            case 18 -> producers.get(random.nextInt(producers.size())).machine().pause(random.nextInt(20) * SECOND);
            case 19 -> kill(producers.get(random.nextInt(producers.size())).machine());
            case 20 -> producers.get(random.nextInt(producers.size())).stop();
            case 21 -> reset();
            default -> {}
        }
    }

    private Machine machine(String name) {
        Machine machine = new Machine(turns, name);
        machine.clockAhead(random.nextInt(600_000) - 300_000L);
        machines.add(machine);
        return machine;
    }

    private TalosClient client(Machine machine) {
        return SimulatedClients.client(
                machine,
                servers,
                faults,
                Duration.ofSeconds(1 + random.nextInt(10)),
                Duration.ofSeconds(5 + random.nextInt(25)));
    }

    private Member addMember() {
        Machine machine = machine("m" + machines.size());
        Member added =
                new Member(machine, client(machine), observations, () -> calm, Member.config(random, startsAtEnd));
        turns.note("starts " + machine.name() + " " + added.name());
        members.add(added);
        added.start();
        if (members.size() > MOST_MEMBERS) {
            member().close();
        }
        return added;
    }

    /** One that lives, or a new one. */
    private Member member() {
        members.removeIf(each -> each.isClosing() || each.machine().isKilled());
        return members.isEmpty() ? addMember() : members.get(random.nextInt(members.size()));
    }

    private void addProducer() {
        Machine machine = machine("p" + machines.size());
        Producer added = new Producer(machine, client(machine), observations, Producer.config(random), partitions);
        producers.add(added);
        added.start();
    }

    private void kill(Machine machine) {
        turns.note("kills " + machine.name());
        machine.kill();
    }

    /** All members end, and when nothing of them is under way an operator has the group continue elsewhere. */
    private void reset() throws MetadataException {
        for (Member each : members) {
            if (!each.isClosing() && random.nextBoolean()) {
                each.close();
            }
        }
        pass(QUIET);
        members.forEach(each -> kill(each.machine()));
        members.clear();
        pass(QUIET);
        if (!servers.members().isEmpty()) {
            throw turns.violated("members live on: " + servers.members());
        }
        for (int partition = 0; partition < partitions; partition++) {
            long end = servers.partitions().get(partition).end();
            long[] places = {0, end, random.nextInt((int) end + 1)};
            long next = places[random.nextInt(places.length)];
            servers.reset(partition, next);
            observations.reset(partition, next);
        }
    }

    private void rest() throws MetadataException, MalformedBlockException {
        turns.note("faults stop");
        calm = true;
        faults.set(0, 5);
        producers.forEach(Producer::stop);
        boolean stopped = turns.runUntil(
                turns.nanos() + REST,
                () -> producers.stream()
                        .allMatch(each -> each.isClosed() || each.machine().isKilled()));
        if (!stopped) {
            throw turns.violated("producers continue: " + turns.waiting());
        }
        observations.checkPuts();
        for (ModelPartition each : servers.partitions()) {
            each.putLast(); // whoever commits by hand does so behind a message
        }
        Member unused = member();
        boolean rests = turns.runUntil(turns.nanos() + REST, this::isAtRest);
        if (!rests) {
            throw turns.violated("the group does not come to rest: " + servers.members() + " " + lag());
        }
        members.stream().filter(each -> !each.isClosing()).forEach(Member::close);
        boolean closed = turns.runUntil(
                turns.nanos() + REST,
                () -> members.stream()
                        .allMatch(each -> each.isClosed() || each.machine().isKilled()));
        if (!closed) {
            throw turns.violated("members continue: " + turns.waiting());
        }
    }

    /** Returns whether each partition is held by a member that lives, and all is committed. */
    private boolean isAtRest() {
        try {
            Set<Integer> held = new HashSet<>();
            Set<String> live = new HashSet<>();
            members.stream()
                    .filter(each -> !each.isClosing() && !each.machine().isKilled())
                    .forEach(each -> live.add(each.name()));
            for (Map.Entry<String, List<Integer>> each : servers.members().entrySet()) {
                if (live.contains(each.getKey())) {
                    held.addAll(each.getValue());
                }
            }
            return held.size() == partitions && lag().isEmpty();
        } catch (MetadataException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> lag() throws MetadataException {
        List<String> lagging = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            long end = servers.partitions().get(partition).end();
            long committed = servers.committed(partition).orElse(0L);
            if (committed < end && !(startsAtEnd && servers.committed(partition).isEmpty())) {
                lagging.add(partition + ": " + committed + " of " + end);
            }
        }
        return lagging;
    }
}
