// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.talos.common.error.TalosException;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.log.PartitionLog;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.simulation.ModelLog;
import org.talos.server.simulation.Scheduler;
import org.talos.server.simulation.SimulationRuns;
import org.talos.server.simulation.Violation;
import org.talos.server.storage.LogId;

/**
 * One run: servers, their clients and operators, and what may befall them, in the order of a seed.
 *
 * <p>Confined: the simulation's thread.
 */
final class ClusterSimulation implements Scheduler.Observer, SimulationRuns.Run {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;
    private static final long PATIENCE_NANOS = Duration.ofMinutes(12).toNanos();
    private static final RowKey UNREADABLE = RowKey.table(Topics.TABLE).and("unreadable");

    private final Random random;
    private final List<String> history = new ArrayList<>();
    private final World world;
    private final Scheduler scheduler;
    private final Promises promises;
    private final Clients clients;
    private final Readers readers;
    private final Operators operators;
    private final Disturbances disturbances;
    private final Fleet fleet;
    private final int actions;
    private final boolean powerFails;
    private boolean settling;

    ClusterSimulation(long seed) {
        this(seed, false);
    }

    /** A run in which the power of all DataNodes fails now and then, and files have several blocks. */
    static ClusterSimulation withPowerFailures(long seed) {
        return new ClusterSimulation(seed, true);
    }

    private ClusterSimulation(long seed, boolean powerFails) {
        this.powerFails = powerFails;
        random = new Random(seed * 0x9E3779B97F4A7C15L);
        world = new World(random, history);
        scheduler = world.scheduler();
        scheduler.bystander(this::bystander);
        scheduler.suspendSteps();
        scheduler.endsBy(Duration.ofHours(3).toNanos());
        promises = new Promises(world);
        clients = new Clients(world);
        readers = new Readers(world);
        operators = new Operators(world, promises, this);
        disturbances = new Disturbances(world);
        actions = 15 + random.nextInt(30);
        fleet = new Fleet(world, clients, log(), powerFails ? PowerFailures.BLOCK_BYTES : 1 << 20);
        world.hdfs().make(Fleet.ROOT);
        int servers = 2 + random.nextInt(3);
        for (int i = 1; i <= servers; i++) {
            fleet.start("s" + i);
        }
    }

    private LogConfig log() {
        return TestConfig.of(LogConfig.class)
                .with("durability", random.nextBoolean() || powerFails ? Durability.FSYNC : Durability.FLUSH)
                .with("segmentBytes", 64 << 10)
                .with("segmentAge", Duration.ofSeconds(20))
                .with("indexIntervalBytes", 512)
                .with("tailCacheBytes", random.nextBoolean() ? 1 << 20 : 0)
                .with("retentionInterval", Duration.ofSeconds(1))
                .with("dedupeWindow", 1_000)
                .with("dedupeAge", Duration.ofDays(1))
                .with("dedupeBytes", 1 << 20)
                .with("journalFileBytes", random.nextBoolean() ? 64 << 10 : 1 << 20)
                .with("maxUnwrittenBytes", 16 << 20)
                .create();
    }

    @Override
    public List<String> history() {
        return history;
    }

    @Override
    public boolean runs(Thread thread) {
        return Scheduler.isOfSteps(thread);
    }

    @Override
    public void run() {
        try {
            live();
        } finally {
            scheduler.close();
        }
    }

    private void live() {
        settle("the first start");
        operators.createTopic();
        settle("the first topic");
        if (random.nextInt(25) == 0 && !Faults.isPassedOver(Faults.STALE_TOPICS)) {
            leaveUnreadableRow();
        }
        world.faults().calm(false);
        for (int i = 0; i < actions; i++) {
            bystander();
            runFor(random.nextInt(1_500) * MILLI);
            if (random.nextInt(4) == 0) {
                check();
            }
        }
        settle("everything");
        if (powerFails) {
            PowerFailures.ofEverything(world, fleet::end);
            settle("a power failure of everything");
        }
    }

    private void runFor(long nanos) {
        scheduler.runUntil(scheduler.nanos() + nanos);
        scheduler.check();
    }

    /** Plays the part of clients, operators, and fate. */
    private void bystander() {
        if (settling) {
            return;
        }
        if (powerFails && random.nextInt(40) == 0) {
            PowerFailures.any(world, fleet::end);
            return;
        }
        switch (random.nextInt(8)) {
            case 0 -> disturb();
            case 1 -> operate();
            case 2, 3, 4 -> operators.anyLog().ifPresent(readers::read);
            case 5 -> operators.anyLog().ifPresent(clients::putAgain);
            default -> operators.anyLog().ifPresent(clients::put);
        }
    }

    private void disturb() {
        switch (random.nextInt(40)) {
            case 0, 1 -> disturbances.pause();
            case 2, 3, 4, 5 -> disturbances.suspend();
            case 6, 7 -> disturbances.setClock();
            case 8, 9, 10, 11 -> disturbances.cutFromZooKeeper();
            case 12 -> disturbances.endSession();
            case 13, 14 -> disturbances.cutServers();
            case 15, 16 -> disturbances.failHdfs();
            case 17, 18 -> disturbances.failRows();
            case 19 -> operators.anyLog().ifPresent(disturbances::hideRow);
            case 20, 21 -> disturbances.hideServer();
            case 22, 23 -> fleet.kill();
            case 24, 25 -> fleet.stop();
            case 26, 27, 28, 29 -> fleet.restart();
            case 30 -> fleet.startSecond();
            default -> disturbances.heal();
        }
    }

    private void operate() {
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> operators.move();
            case 3 -> operators.rebalance();
            case 4 -> operators.drain();
            case 5 -> operators.resume();
            case 6 -> operators.createTopic();
            case 7 -> operators.growTopic();
            case 8 -> operators.deleteTopic();
            default -> operators.sweep();
        }
    }

    /** Servers cannot refresh what they know of topics for six minutes, while a topic is made. */
    private void leaveUnreadableRow() {
        scheduler.note("UNREADABLE row of a topic");
        world.rows().put(UNREADABLE, new byte[] {1, 2, 3});
        operators.createTopic();
        runFor(Duration.ofMinutes(6).toNanos());
        world.rows().remove(UNREADABLE);
    }

    /** Reads what is new in each log, where its owner serves it. */
    private void check() {
        scheduler.check();
        world.faults().checking(true);
        for (Topic topic : operators.topics()) {
            if (!topic.deleted) {
                topic.logs().forEach(each -> served(each.id()).ifPresent(found -> check(each, found)));
            }
        }
        world.faults().checking(false);
        scheduler.check();
    }

    private void check(ModelLog each, PartitionLog found) {
        try {
            each.check(found);
        } catch (TalosException e) {
            throw violated("acknowledged puts can be read", each + ": " + e.getMessage());
        }
    }

    /** The log of a partition, if the process that owns it by its row serves it. */
    private Optional<PartitionLog> served(LogId id) {
        String owner = promises.owner(id);
        return world.up().stream()
                .filter(server -> server.owner.equals(owner) && !server.process.isCalling()) // else it may hold locks
                .flatMap(server -> server.manager().stream())
                .flatMap(manager -> manager.serving(id).stream())
                .findFirst();
    }

    /** With nothing that fails all is served, answered, or gone in the end. */
    private void settle(String what) {
        scheduler.note("SETTLES " + what);
        settling = true;
        disturbances.end();
        world.rows().remove(UNREADABLE);
        clients.forgetProbes();
        readers.forgetProbes();
        operators.topics().forEach(topic -> promises.partitions(topic.record).ifPresent(topic::grow));
        long until = scheduler.nanos() + PATIENCE_NANOS;
        for (int round = 0; !(round > 1 && unsettled().isEmpty()); round++) {
            repair(round);
            runFor(SECOND);
            clients.check();
            if (scheduler.nanos() > until) {
                throw violated("all partitions serve in the end", unsettled() + ", behind " + what);
            }
        }
        check();
        settling = false;
    }

    private void repair(int round) {
        fleet.restartAll();
        if (round % 3 == 0) {
            operators
                    .logs()
                    .filter(each -> !clients.isProbed(each) || !isOwnedAsAssigned(each))
                    .forEach(clients::probe);
            operators.logs().filter(each -> !readers.isProbed(each)).forEach(readers::probe);
        }
        operators.logs().filter(each -> random.nextBoolean()).forEach(readers::read);
        if (round % 120 == 119 && Faults.isPassedOver(Faults.IDLE_FENCED)) {
            operators
                    .logs()
                    .filter(each -> served(each.id()).isEmpty())
                    .flatMap(each -> world.server(promises.assigned(each.id())).stream())
                    .distinct()
                    .filter(SimulatedServer::isUp)
                    .forEach(fleet::end); // as an operator does who sees it
        }
        if (round % 10 == 1) {
            operators.resumeAll();
            operators.sweep();
        }
    }

    /** Returns the first part that is not yet in its final state; empty if all is. */
    private String unsettled() {
        for (SimulatedServer server : world.running()) {
            if (!server.isUp()
                    || world.isReplaced(server)
                    || server.coordinator().filter(each -> each.isConnected()).isEmpty()) {
                return server.owner + " is not a member";
            }
        }
        for (Topic topic : operators.topics()) {
            String found = topic.deleted ? left(topic) : topic.created ? unserved(topic) : "";
            if (!found.isEmpty()) {
                return found;
            }
        }
        return "";
    }

    private String left(Topic topic) {
        List<String> left = promises.left(topic.record.topicId(), topic.ids(), Fleet.ROOT);
        return left.isEmpty() ? "" : topic + " was deleted and has left " + left;
    }

    private boolean isOwnedAsAssigned(ModelLog each) {
        String assigned = promises.assigned(each.id());
        return !assigned.isEmpty() && promises.owner(each.id()).startsWith(assigned + "#");
    }

    private String unserved(Topic topic) {
        for (ModelLog each : topic.logs()) {
            if (!isOwnedAsAssigned(each)
                    || served(each.id()).isEmpty()
                    || !clients.isProbed(each)
                    || !readers.isProbed(each)) {
                return each + "/" + each.id().partition() + " is not served: it is given to '"
                        + promises.assigned(each.id()) + "', its row to '" + promises.owner(each.id()) + "': "
                        + each.lastError();
            }
            if (each.unanswered() > 0) {
                return each + " has " + each.unanswered() + " puts without an answer";
            }
        }
        return "";
    }

    @Override
    public void acknowledged(String what) {
        // No order between producers and readers is checked here.
    }

    @Override
    public Violation violated(String promise, String what) {
        return scheduler.violated(promise, what);
    }

    @Override
    public void errorLogged(String message) {
        scheduler.note("LOGS: " + message);
        for (Topic topic : operators.topics()) {
            for (ModelLog each : topic.logs()) {
                if (message.contains(each.id().toString())) {
                    each.lastError(message);
                }
            }
        }
    }
}
