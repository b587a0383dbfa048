// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.talos.common.error.TalosException;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.LogConfig;
import org.talos.server.log.PartitionLog;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rows.Topics;
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
final class ClusterSimulation implements Scheduler.Told, SimulationRuns.Run {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;
    private static final long PATIENCE_NANOS = Duration.ofMinutes(12).toNanos();
    private static final String ROOT = "/talos";
    private static final String OTHER_ROOT = "/other";
    private static final RowKey UNREADABLE = RowKey.table(Topics.TABLE).and("unreadable");

    private final Random random;
    private final List<String> history = new ArrayList<>();
    private final World world;
    private final Scheduler scheduler;
    private final Promises promises;
    private final Map<String, Integer> incarnations = new HashMap<>();
    private final Map<String, Long> downSince = new HashMap<>();
    private final List<Topic> topics = new ArrayList<>();
    private final Clients clients;
    private final LogConfig log;
    private final int actions;
    private final boolean powerFails;
    private final int blockBytes;
    private boolean settling;
    private int topicsMade;

    ClusterSimulation(long seed) {
        this(seed, false);
    }

    /** A run in which the power of all DataNodes fails now and then, and files have several blocks. */
    static ClusterSimulation withPowerFailures(long seed) {
        return new ClusterSimulation(seed, true);
    }

    private ClusterSimulation(long seed, boolean powerFails) {
        this.powerFails = powerFails;
        blockBytes = powerFails ? PowerFailures.BLOCK_BYTES : 1 << 20;
        random = new Random(seed * 0x9E3779B97F4A7C15L);
        world = new World(random, history);
        scheduler = world.scheduler();
        scheduler.bystander(this::bystander);
        scheduler.endsBy(Duration.ofHours(3).toNanos());
        promises = new Promises(world);
        clients = new Clients(world);
        actions = 15 + random.nextInt(30);
        log = new LogConfig(
                random.nextBoolean() || powerFails ? Durability.FSYNC : Durability.FLUSH,
                64 << 10,
                Duration.ofSeconds(20),
                512,
                random.nextBoolean() ? 1 << 20 : 0,
                0,
                Duration.ofSeconds(1),
                1_000,
                Duration.ofDays(1),
                1 << 20,
                random.nextBoolean() ? 64 << 10 : 1 << 20,
                16 << 20,
                "");
        world.hdfs().make(ROOT);
        int servers = 2 + random.nextInt(3);
        for (int i = 1; i <= servers; i++) {
            start("s" + i, ROOT);
        }
    }

    @Override
    public List<String> history() {
        return history;
    }

    @Override
    public void run() {
        settle("the first start");
        createTopic();
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
            PowerFailures.ofEverything(world, this::end);
            settle("a power failure of everything");
        }
    }

    private void runFor(long nanos) {
        scheduler.runUntil(scheduler.nanos() + nanos);
        scheduler.check();
    }

    private void start(String id, String root) {
        int number = incarnations.merge(id, 1, Integer::sum);
        scheduler.note("STARTS " + id + "#" + number + (root.equals(ROOT) ? "" : " in " + root));
        SimulatedServer server = new SimulatedServer(world, id, number);
        world.add(server);
        downSince.remove(id);
        server.start(
                log,
                new HdfsConfig("", root, HdfsConfig.JournalForm.JOURNAL, 1, 1, blockBytes, Duration.ofSeconds(30), 8));
    }

    /** What clients, operators and fate do. */
    private void bystander() {
        if (settling) {
            return;
        }
        if (powerFails && random.nextInt(40) == 0) {
            PowerFailures.any(world, this::end);
            return;
        }
        switch (random.nextInt(60)) {
            case 0 -> pause();
            case 1, 2 -> cutFromZooKeeper();
            case 3 -> cutServers();
            case 4 -> kill();
            case 5 -> stop();
            case 6, 7 -> restart();
            case 8 -> failHdfs();
            case 9 -> failRows();
            case 10, 11, 12 -> move();
            case 13 -> rebalance();
            case 14 -> drain();
            case 15 -> resume();
            case 16 -> createTopic();
            case 17 -> deleteTopic();
            case 18, 19, 20 -> heal();
            case 21 -> sweep();
            case 22, 23, 24 -> anyLog().ifPresent(clients::putAgain);
            default -> anyLog().ifPresent(clients::put);
        }
    }

    private Stream<ModelLog> logs() {
        return List.copyOf(topics).stream().filter(Topic::isThere).flatMap(topic -> topic.logs.stream());
    }

    private Optional<ModelLog> anyLog() {
        return world.any(logs().toList());
    }

    private void pause() {
        world.any(world.up()).ifPresent(server -> {
            long nanos = (1 + random.nextInt(40)) * SECOND;
            scheduler.note("PAUSES " + server.id + " for " + nanos / SECOND + " s");
            server.process.pause(nanos);
        });
    }

    private void cutFromZooKeeper() {
        world.any(world.up()).ifPresent(server -> {
            long nanos = random.nextBoolean() ? random.nextInt(2_000) * MILLI : random.nextInt(40) * SECOND;
            scheduler.note("CUT from ZooKeeper " + server.id + " for " + nanos / MILLI + " ms");
            server.link.cut(nanos, random.nextBoolean());
        });
    }

    private void cutServers() {
        world.any(world.servers())
                .ifPresent(a -> world.any(world.servers()).ifPresent(b -> {
                    if (a != b) {
                        scheduler.note("CUT " + a.id + " from " + b.id);
                        world.faults().cut(a.id, b.id, true);
                    }
                }));
    }

    private void kill() {
        world.any(world.up()).ifPresent(server -> {
            scheduler.note("KILLED " + server.owner);
            end(server);
        });
    }

    private void end(SimulatedServer server) {
        scheduler.end(server.process);
        downSince.put(server.id, scheduler.nanos());
        clients.ended(server);
    }

    private void stop() {
        if (world.up().size() > 1) {
            world.any(world.up()).ifPresent(server -> {
                scheduler.note("STOPS " + server.owner);
                server.stop(() -> {
                    scheduler.note("STOPPED " + server.owner);
                    end(server);
                });
            });
        }
    }

    private void restart() {
        for (SimulatedServer server : world.servers()) {
            if (server.hasFailed() && !server.process.isEnded()) {
                end(server);
            }
        }
        world.any(List.copyOf(downSince.keySet())).ifPresent(id -> {
            boolean wrong = random.nextInt(8) == 0 && !Faults.isPassedOver(Faults.TWO_ROOTS);
            start(id, wrong ? OTHER_ROOT : ROOT);
        });
    }

    private void failHdfs() {
        world.any(world.servers()).ifPresent(server -> {
            scheduler.note("HDFS FAILS for " + server.id);
            world.faults().failHdfs(server.id, true);
        });
    }

    private void failRows() {
        world.any(world.servers()).ifPresent(server -> {
            scheduler.note("ROWS FAIL for " + server.id);
            world.faults().failRows(server.id, true);
        });
    }

    private void heal() {
        for (SimulatedServer server : world.servers()) {
            world.faults().failHdfs(server.id, false);
            world.faults().failRows(server.id, false);
            for (SimulatedServer other : world.servers()) {
                world.faults().cut(server.id, other.id, false);
            }
        }
    }

    private void move() {
        anyLog().ifPresent(moved -> world.any(world.up())
                .ifPresent(to -> world.any(world.up()).ifPresent(by -> {
                    scheduler.note("MOVE " + moved + "/" + moved.id().partition() + " to " + to.id);
                    by.asked(
                            "move",
                            admin -> admin.move(moved.id().topicId(), moved.id().partition(), to.id));
                })));
    }

    private void rebalance() {
        world.any(world.up()).ifPresent(by -> by.asked("rebalance", admin -> admin.rebalance()));
    }

    private void drain() {
        world.any(world.up())
                .ifPresent(drained -> world.any(world.up()).ifPresent(by -> {
                    scheduler.note("DRAIN " + drained.id);
                    by.asked("drain", admin -> admin.drain(drained.id));
                }));
    }

    private void resume() {
        world.any(world.servers())
                .ifPresent(drained -> world.any(world.up()).ifPresent(by -> {
                    scheduler.note("RESUME " + drained.id);
                    by.asked("resume", admin -> admin.resume(drained.id));
                }));
    }

    private void createTopic() {
        if (topics.size() >= 4) {
            return;
        }
        world.any(world.up()).ifPresent(by -> {
            Topic made = new Topic(++topicsMade, 1 + random.nextInt(3), this);
            topics.add(made);
            scheduler.note("CREATES " + made.record.name() + " of " + made.record.partitions());
            by.create(made.record, () -> made.created = true);
        });
    }

    private void deleteTopic() {
        List<Topic> there = topics.stream().filter(Topic::isThere).toList();
        if (there.size() > 1) {
            world.any(there)
                    .ifPresent(topic -> world.any(world.up()).ifPresent(by -> {
                        scheduler.note("DELETES " + topic.record.name());
                        topic.deleted = true;
                        promises.deletes(topic.record.topicId());
                        by.delete(topic.record);
                    }));
        }
    }

    private void sweep() {
        topics.stream()
                .filter(topic -> topic.deleted)
                .forEach(topic -> world.any(world.up()).ifPresent(by -> {
                    by.delete(topic.record); // if that was in vain
                    by.sweepLater(topic.record);
                }));
    }

    /** Servers can't refresh what they know of topics for six minutes, while a topic is made. */
    private void leaveUnreadableRow() {
        scheduler.note("UNREADABLE row of a topic");
        world.rows().put(UNREADABLE, new byte[] {1, 2, 3});
        createTopic();
        runFor(Duration.ofMinutes(6).toNanos());
        world.rows().remove(UNREADABLE);
    }

    /** Reads what is new in each log, where its owner serves it. */
    private void check() {
        scheduler.check();
        world.faults().checking(true);
        for (Topic topic : List.copyOf(topics)) {
            if (!topic.deleted) {
                topic.logs.forEach(each -> served(each.id()).ifPresent(found -> check(each, found)));
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
                .filter(server -> server.owner.equals(owner))
                .flatMap(server -> server.manager().stream())
                .flatMap(manager -> manager.serving(id).stream())
                .findFirst();
    }

    /** With nothing that fails all is served, answered, or gone in the end. */
    private void settle(String what) {
        scheduler.note("SETTLES " + what);
        settling = true;
        world.faults().calm(true);
        world.servers().forEach(server -> server.link.heal());
        world.rows().remove(UNREADABLE);
        clients.forgetProbes();
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
        for (SimulatedServer server : world.servers()) {
            if (server.hasFailed() && !server.process.isEnded()) {
                end(server);
            }
            if (server.process.isEnded()) {
                start(server.id, ROOT);
            }
        }
        if (round % 3 == 0) {
            logs().filter(each -> !clients.isProbed(each) || !isOwnedAsAssigned(each))
                    .forEach(clients::probe);
        }
        if (round % 120 == 119 && Faults.isPassedOver(Faults.IDLE_FENCED)) {
            logs().filter(each -> served(each.id()).isEmpty())
                    .flatMap(each -> world.server(promises.assigned(each.id())).stream())
                    .distinct()
                    .filter(SimulatedServer::isUp)
                    .forEach(this::end); // as an operator does who sees it
        }
        if (round % 10 == 1) {
            world.any(world.up())
                    .ifPresent(by ->
                            world.servers().forEach(each -> by.asked("resume", admin -> admin.resume(each.id))));
            sweep();
        }
    }

    /** What is not yet as it is to be in the end; empty if all is. */
    private String unsettled() {
        for (SimulatedServer server : world.servers()) {
            if (!server.isUp()
                    || server.coordinator().filter(each -> each.isConnected()).isEmpty()) {
                return server.owner + " is not a member";
            }
        }
        for (Topic topic : List.copyOf(topics)) {
            String found = topic.deleted ? left(topic) : topic.created ? unserved(topic) : "";
            if (!found.isEmpty()) {
                return found;
            }
        }
        return "";
    }

    private String left(Topic topic) {
        List<String> left = promises.left(topic.record.topicId(), World.ids(topic.record), ROOT);
        return left.isEmpty() ? "" : topic.record.name() + " was deleted and has left " + left;
    }

    private boolean isOwnedAsAssigned(ModelLog each) {
        String assigned = promises.assigned(each.id());
        return !assigned.isEmpty() && promises.owner(each.id()).startsWith(assigned + "#");
    }

    private String unserved(Topic topic) {
        for (ModelLog each : topic.logs) {
            if (!isOwnedAsAssigned(each) || served(each.id()).isEmpty() || !clients.isProbed(each)) {
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
        for (Topic topic : topics) {
            for (ModelLog each : topic.logs) {
                if (message.contains(each.id().toString())) {
                    each.lastError(message);
                }
            }
        }
    }
}
