// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.ArrayList;
import java.util.List;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.simulation.MemoryRows;
import org.talos.server.simulation.SimulationRuns;
import org.talos.server.simulation.fiber.Fibers;

/**
 * A group with members of all kinds on two servers, by a seed: its topic grows, members come, are silent, leave, and
 * crash; servers pause, are suspended, restart, and lose messages; rows and partitions fail.
 *
 * <p>Confined: the simulation's thread.
 */
final class GroupSimulation implements SimulationRuns.Run {
    private static final int SERVERS = 2;
    private static final int MOST_MEMBERS = 5;
    private static final int MOST_PARTITIONS = 8;
    private static final long DISTURBED_NANOS = 150 * GroupWorld.SECOND;
    private static final long RECOVERY_NANOS = 110 * GroupWorld.SECOND; // machines resume, and leases end
    private static final long CALM_NANOS = 90 * GroupWorld.SECOND;

    private final List<String> history = new ArrayList<>();
    private final GroupWorld world;
    private final List<GroupActor> members = new ArrayList<>();
    private int names;
    private boolean over;

    GroupSimulation(long seed) {
        world = new GroupWorld(seed, history);
    }

    @Override
    public List<String> history() {
        return history;
    }

    @Override
    public void errorLogged(String message) {
        world.fibers.note("logged: " + message);
    }

    @Override
    public boolean runs(Thread thread) {
        return Fibers.isFiber(thread);
    }

    @Override
    public void run() throws MetadataException {
        try {
            begin();
            world.fibers.run(DISTURBED_NANOS);
            over = true;
            world.calm();
            world.fibers.run(RECOVERY_NANOS);
            while (members.size() < 2) {
                add();
            }
            world.fibers.run(CALM_NANOS);
            world.model.checkRest(members.size());
        } finally {
            world.fibers.close();
        }
    }

    private void begin() throws MetadataException {
        var unused = TopicDirectory.load(new Topics(world.rows.view(MemoryRows.Faults.NONE)))
                .create(world.topic());
        for (int number = 0; number < SERVERS; number++) {
            startServer("s" + number);
        }
        add();
        world.fibers.after(0, world.fibers.outside(), this::put);
        world.fibers.after(GroupWorld.SECOND, world.fibers.outside(), this::disturb);
    }

    private void startServer(String name) {
        try {
            GroupServer server = new GroupServer(world, name);
            world.servers.add(server);
            server.start();
        } catch (MetadataException e) {
            throw new IllegalStateException(e); // topics do not fail here
        }
    }

    private void add() {
        String name = "m" + names++;
        GroupActor member = world.fromLatest || world.random.nextBoolean()
                ? new RestMember(world, name)
                : new SdkWorker(world, name);
        members.add(member);
        world.fibers.spawn(world.fibers.outside(), member::live);
    }

    private void put() {
        if (!over) {
            world.model.put(world.random.nextInt(world.model.partitions()), 1 + world.random.nextInt(3));
            world.fibers.after(world.upToMillis(600), world.fibers.outside(), this::put);
        }
    }

    private void disturb() {
        if (over) {
            return;
        }
        switch (world.random.nextInt(24)) {
            case 0, 1, 2, 3 -> {
                if (members.size() < MOST_MEMBERS) {
                    add();
                }
            }
            case 4, 5 -> remove();
            case 6 -> world.anyServer().machine.pause(world.upToMillis(10_000));
            case 7 -> suspend();
            case 9 -> restart();
            case 10, 11, 12 -> endServing();
            case 13, 14 -> grow();
            case 15, 16 -> failRows();
            case 17 -> world.anyServer().setClock(world.random.nextInt(40_000) - 20_000L);
            default -> {
                // nothing, for once
            }
        }
        world.fibers.after(world.upToMillis(4_000), world.fibers.outside(), this::disturb);
    }

    private void remove() {
        if (!members.isEmpty()) {
            members.remove(world.random.nextInt(members.size())).end(world.random.nextBoolean());
        }
    }

    /** Not all machines at once: somebody is to see what the suspended one does. */
    private void suspend() {
        GroupServer server = world.anyServer();
        if (!server.machine.isPaused() && world.liveServers().stream().noneMatch(other -> other.machine.isPaused())) {
            server.suspend(world.upToMillis(100_000));
        }
    }

    private void restart() {
        GroupServer server = world.anyServer();
        if (!server.machine.isPaused()) {
            world.fibers.note(server.machine.name() + " restarts");
            server.machine.end();
            startServer(server.machine.name());
        }
    }

    private void endServing() {
        int partition = world.random.nextInt(world.model.partitions());
        world.model.serve(partition, false);
        world.fibers.after(world.upToMillis(15_000), world.fibers.outside(), () -> world.model.serve(partition, true));
    }

    /** A client adds a partition by one server; others learn of it later. */
    private void grow() {
        GroupServer server = world.anyServer();
        if (server.machine.isPaused() || world.model.partitions() >= MOST_PARTITIONS) {
            return;
        }
        world.model.grow();
        try {
            server.grow();
        } catch (MetadataException e) {
            throw new IllegalStateException(e); // topics do not fail here
        }
        world.fibers.note(
                "the topic has " + world.model.partitions() + " partitions, " + server.machine.name() + " knows");
        world.liveServers().forEach(each -> world.fibers.after(world.upToMillis(8_000), each.machine, each::refresh));
    }

    private void failRows() {
        String server = world.anyServer().machine.name();
        world.failRows(server, true);
        world.fibers.after(world.upToMillis(8_000), world.fibers.outside(), () -> world.failRows(server, false));
    }
}
