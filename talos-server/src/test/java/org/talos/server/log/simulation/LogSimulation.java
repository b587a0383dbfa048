// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.simulation;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.Deletion;
import org.talos.server.log.EndWait;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.log.time.Retention;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.PartitionRows;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.simulation.MemoryRows;
import org.talos.server.simulation.ModelLog;
import org.talos.server.simulation.Scheduler;
import org.talos.server.simulation.SimulatedProcess;
import org.talos.server.simulation.SimulationRuns;
import org.talos.server.simulation.Violation;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.storage.local.LosingDisk;

/**
 * One run: partitions of one server, their clients and operators, and what may befall them, in the order of a seed.
 *
 * <p>Confined: the simulation's thread.
 */
final class LogSimulation implements Scheduler.Observer, SimulationRuns.Run {
    private static final Path MOUNTED = Path.of("/disk");
    private static final Path ROOT = MOUNTED.resolve("store");
    private static final LogMetrics METRICS = new LogMetrics(new Metrics(() -> 0));
    private static final int STEPS = 120;
    private static final int LOGS = 3;
    private static final List<String> OPERATIONS =
            List.of("sync", "sync", "sync", "write", "write", "create", "syncDirectory", "move", "delete", "truncate");
    private static final List<String> PLACES =
            List.of("/journal/", "/journal/", "/journal/", ".log", ".index", "/segments/");

    private final Random random;
    private final List<String> history = new ArrayList<>();
    private final LosingDisk disk = new LosingDisk(MOUNTED);
    private final MemoryRows rows = new MemoryRows();
    private final Partitions partitions = new Partitions(rows.view(new RowFaults()));
    private final List<Log> logs = new ArrayList<>();
    private final boolean faults;
    private final boolean pressure;
    private final LogConfig config;
    private Scheduler scheduler;
    private SimulatedProcess process;
    private JournaledSegmentStore store;
    private PartitionManager manager;
    private Optional<Failing> failing = Optional.empty();
    private boolean metadataFails;
    private boolean disturbed; // since the last start: then errors may be logged
    private boolean settling; // nothing new happens
    private boolean stopping;
    private int topics;

    LogSimulation(long seed) throws StorageException {
        random = new Random(seed * 0x9E3779B97F4A7C15L);
        faults = random.nextInt(3) > 0;
        pressure = random.nextInt(4) == 0 && !Scheduler.PASSED_OVER.contains(Scheduler.BLOCKING);
        Durability durability = random.nextInt(4) == 0 ? Durability.FLUSH : Durability.FSYNC;
        config = TestConfig.of(LogConfig.class)
                .with("durability", durability)
                .with("segmentBytes", 64 << 10)
                .with("segmentAge", Duration.ofSeconds(20))
                .with("indexIntervalBytes", 512)
                .with("tailCacheBytes", random.nextBoolean() ? 1 << 20 : 0)
                .with("retentionBytesPerPartition", random.nextBoolean() ? 0 : 200 << 10)
                .with("retentionInterval", Duration.ofSeconds(1))
                .with("dedupeWindow", 1_000)
                .with("dedupeAge", Duration.ofDays(1))
                .with("dedupeBytes", 1 << 20)
                .with("journalFileBytes", 64 << 10)
                .with("maxUnwrittenBytes", pressure ? 1 << 20 : 64 << 20)
                .create();
        scheduler = new Scheduler(random, history, 0);
        process = scheduler.process("");
        start();
    }

    /** Rows that fail on request, and while the disk is off. Confined: the simulation's thread. */
    private final class RowFaults implements MemoryRows.Faults {
        @Override
        public void before(Runnable write) throws MetadataException {
            failIf(disk.isOff() || metadataFailsNow());
        }

        @Override
        public void after() throws MetadataException {
            failIf(metadataFailsNow());
        }

        private static void failIf(boolean fails) throws MetadataException {
            if (fails) {
                throw new MetadataException(MetadataException.Reason.UNAVAILABLE, Effect.UNKNOWN, "made to fail");
            }
        }
    }

    @Override
    public List<String> history() {
        return history;
    }

    @Override
    public void run() throws StorageException, MetadataException {
        for (int i = 0; i < LOGS; i++) {
            gain(created());
        }
        for (int i = 0; i < STEPS; i++) {
            step();
            if (random.nextInt(60) == 0) {
                settle();
            }
            if (random.nextInt(50) == 0) {
                restart();
            }
        }
        settle();
        end(0);
        settle();
        check();
    }

    private Log created() {
        Log made = new Log(new ModelLog(new LogId("0".repeat(24) + (10_000_000 + ++topics), 0), true, this));
        logs.add(made);
        return made;
    }

    private void start() throws StorageException {
        disturbed = disk.isOff();
        disk.fault(this::onDisk);
        scheduler.bystander(this::bystander);
        store = disk.open(ROOT, config, scheduler::nanos, process, new PartitionRows(partitions));
        PartitionLog.Parts parts = new PartitionLog.Parts(
                new PartitionLog.Memory(
                        new TailCache(config.tailCacheBytes()), new DedupeMemory(1 << 20), new SegmentIndexes(1 << 20)),
                new PartitionLog.Pools(
                        process.pool("background", 4, true),
                        process.pool("segments", 2, false),
                        process.pool("readers", 2, false)),
                new SteadyClock(
                        () -> Instant.ofEpochMilli(1_000_000_000L + scheduler.nanos() / 1_000_000), scheduler::nanos),
                scheduler::nanos,
                METRICS,
                process);
        manager = new PartitionManager(
                store,
                partitions,
                id -> SegmentOptions.DEFAULT,
                config,
                parts,
                new PartitionManager.Pools(
                        process.pool("recovery", 4, true),
                        process.pool("closings", 4, true).behind("background", "segments", "recovery")),
                "me");
        List.copyOf(logs).stream().filter(log -> log.owned).forEach(this::gain);
    }

    private void onDisk(String operation, Path path) throws IOException {
        scheduler.onDisk(operation, String.valueOf(path.getFileName()));
        if (failing.isPresent() && failing.get().hits(operation, path.toString())) {
            scheduler.note("FAILS: " + operation + " " + path.getFileName());
            throw new IOException("made to fail");
        }
    }

    private boolean metadataFailsNow() {
        return metadataFails && random.nextInt(3) == 0;
    }

    private void step() {
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> bystander();
            case 4 -> process.copierRound();
            case 5 -> pass();
            default -> {
                if (!scheduler.step()) {
                    bystander();
                }
            }
        }
        check();
    }

    private void pass() {
        scheduler.pass(random.nextInt(2_000) * 1_000_000L);
    }

    /** Plays the part of clients and operators. */
    private void bystander() {
        if (settling) {
            return;
        }
        Log log = logs.get(random.nextInt(logs.size()));
        switch (random.nextInt(25)) {
            case 0 -> lose(log);
            case 1, 2 -> gainIfLost(log);
            case 3 -> delete(log);
            case 4 -> retain(log);
            case 5, 6, 7 -> awaitMessages(log);
            case 8 -> fail();
            case 9 -> heal();
            case 10 -> putAgain(log);
            case 11 -> pass();
            case 12 -> deleteMessages(log);
            default -> put(log);
        }
    }

    private Optional<PartitionLog> serving(Log log) {
        return log.deleted ? Optional.empty() : manager.serving(log.model.id());
    }

    private Optional<ModelLog.Sender> taking(Log log) {
        return serving(log).filter(found -> !log.model.isAppending()).map(ModelLog::sender);
    }

    private void put(Log log) {
        int bytes = size();
        taking(log)
                .ifPresent(to -> scheduler.run(
                        "put to " + log, () -> log.model.put(to, 1 + random.nextInt(2), 1 + random.nextInt(3), bytes)));
    }

    private int size() {
        if (pressure && random.nextInt(2) == 0) {
            return 100_000 + random.nextInt(300_000);
        }
        return random.nextInt(3) == 0 ? 15_000 + random.nextInt(30_000) : random.nextInt(500);
    }

    private void putAgain(Log log) {
        taking(log)
                .ifPresent(
                        to -> scheduler.run("repeated put to " + log, () -> log.model.putAgain(to, random.nextInt(3))));
    }

    private void awaitMessages(Log log) {
        serving(log)
                .ifPresent(found -> scheduler.run(
                        "reader waits at " + log,
                        () -> found.await(
                                new EndWait(found.durableEnd(), () -> scheduler.readerResumed("a reader of " + log)))));
    }

    private void retain(Log log) {
        if (!stopping && !scheduler.isInsideWriter() && !isExpiryBelow()) {
            scheduler.run("retention of " + log, () -> {
                var unused = manager.retain(
                        log.model.id(), new Retention(manager.clock().millis(), 60_000, 0, false));
            });
        }
    }

    private void deleteMessages(Log log) {
        if (stopping || scheduler.isInsideWriter() || isExpiryBelow()) {
            return;
        }
        serving(log).ifPresent(found -> {
            long before = random.nextInt(3) == 0
                    ? Deletion.ALL
                    : found.startOffset() + random.nextLong(found.durableEnd() - found.startOffset() + 1);
            scheduler.run("deletion before " + before + " of " + log, () -> {
                try {
                    log.model.delete(found, before);
                } catch (TalosException e) {
                    scheduler.note("messages not deleted: " + e.getMessage());
                    if (!disturbed) {
                        throw scheduler.violated("messages can be deleted", log + ": " + e.getMessage());
                    }
                }
            });
        });
    }

    /** Retention and deletions hold each other off; a lock does not do so on one stack. */
    private static boolean isExpiryBelow() {
        String name = PartitionLog.class.getPackageName() + ".Expiry";
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(name)));
    }

    private void gain(Log log) {
        log.owned = true;
        change(log, true);
    }

    private void change(Log log, boolean owned) {
        scheduler.note((owned ? "gains " : "loses ") + log);
        manager.follow(
                new OwnershipChange(log.model.id().topicId(), log.model.id().partition(), owned));
    }

    private void gainIfLost(Log log) {
        if (!log.owned && !log.deleting) {
            gain(log);
        }
    }

    private void lose(Log log) {
        if (log.owned && random.nextInt(3) == 0) {
            log.owned = false;
            change(log, false);
        }
    }

    /** As a topic's deletion goes: its partitions are not assigned any more, then deleted. */
    private void delete(Log log) {
        if (log.deleting) {
            finishDeletion(log);
        } else if (random.nextInt(4) == 0) {
            log.deleting = true;
            log.owned = false;
            change(log, false);
            created();
        }
    }

    private void finishDeletion(Log log) {
        if (log.deleted || stopping || scheduler.isInsideWriter() || isAwaitedBelow()) {
            return;
        }
        scheduler.run("deletion of " + log, () -> {
            try {
                manager.delete(log.model.id().topicId(), 1);
                log.deleted = true;
            } catch (StorageException | MetadataException e) {
                scheduler.note("deletion failed: " + e.getMessage());
                if (!disturbed) {
                    throw scheduler.violated("deletions end", String.valueOf(e.getMessage()));
                }
            }
        });
    }

    /** A deletion waits for what is opened, sealed and closed; of that nothing can continue below on this stack. */
    private boolean isAwaitedBelow() {
        String ofManager = PartitionManager.class.getPackageName() + ".";
        String ofSeals = PartitionLog.class.getPackageName() + ".ActiveSegment$Seals";
        return StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                        .anyMatch(name -> name.startsWith(ofManager) || name.startsWith(ofSeals)));
    }

    private void fail() {
        if (!faults) {
            return;
        }
        disturbed = true;
        if (random.nextInt(6) == 0) {
            metadataFails = true;
            scheduler.note("metadata begins to fail");
            return;
        }
        Failing next = new Failing(any(OPERATIONS), any(PLACES), 1 + random.nextInt(3));
        if (next.operation().equals("sync")
                && !next.place().equals("/journal/")
                && Scheduler.PASSED_OVER.contains("segment_syncs")) {
            return;
        }
        failing = Optional.of(next);
        scheduler.note("to fail: " + next.operation() + " of " + next.place() + ", " + next.times() + " times");
    }

    private String any(List<String> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private void heal() {
        failing = Optional.empty();
        metadataFails = false;
    }

    private void restart() throws StorageException {
        int kind = random.nextInt(faults ? 4 : 2);
        if (kind == 2) {
            int operations = random.nextInt(100);
            scheduler.note("the power will go after " + operations + " operations of the disk");
            disturbed = true;
            disk.failAfter(operations);
            for (int i = 0; i < 50 && !disk.isOff(); i++) {
                step();
            }
        }
        end(kind);
    }

    /** Ends the server: properly, or killed, or by a power cut; then starts it again. */
    private void end(int kind) throws StorageException {
        if (kind == 0) {
            heal();
            stopping = true;
            scheduler.run("server stops", () -> {
                manager.close();
                store.close();
            });
            stopping = false;
            scheduler.check();
            disk.processEnds();
        } else if (kind == 1 || config.durability() == Durability.FLUSH) {
            scheduler.note("server is killed");
            disk.processEnds();
        } else {
            scheduler.note("power cut");
            disk.powerOff(random);
        }
        heal();
        disk.loseSegment(ROOT, faults, random, scheduler::note);
        logs.forEach(log -> log.model.forgetUnanswered());
        scheduler = new Scheduler(random, history, scheduler.nanos());
        process = scheduler.process("");
        start();
    }

    /** Checks the promises that need no waiting. */
    private void check() {
        scheduler.check();
        if (failing.isPresent() || metadataFails || disk.isOff()) {
            return;
        }
        for (Log log : List.copyOf(logs)) {
            serving(log).ifPresent(found -> {
                try {
                    log.model.check(found);
                } catch (TalosException e) {
                    if (disk.isOff()) {
                        return;
                    }
                    throw scheduler.violated("acknowledged puts can be read", log + ": " + e.getMessage());
                }
            });
        }
    }

    /** With nothing that fails all is served, answered, or gone in the end. */
    private void settle() throws MetadataException {
        heal();
        settling = true;
        scheduler.note("settles");
        for (int i = 0; i < 100 && !(i > 4 && isSettled()); i++) {
            for (int steps = 0; steps < 2_000 && scheduler.step(); steps++) {
                scheduler.check();
            }
            List.copyOf(logs).stream().filter(log -> log.deleting).forEach(this::finishDeletion);
            scheduler.check();
            scheduler.skipTime();
        }
        settling = false;
        check();
        checkSettled();
    }

    private void checkSettled() throws MetadataException {
        for (Log log : logs) {
            if (log.owned && manager.serving(log.model.id()).isEmpty()) {
                throw scheduler.violated("a log opens", log + " is not served: " + log.model.lastError());
            }
            if (log.model.unanswered() > 0) {
                throw scheduler.violated("each put is answered", log + ": " + log.model.unanswered() + " are not");
            }
            if (log.deleting) {
                checkGone(log);
            }
        }
    }

    private boolean isSettled() {
        return logs.stream()
                .allMatch(log -> (!log.owned || manager.serving(log.model.id()).isPresent())
                        && log.model.unanswered() == 0
                        && log.deleting == log.deleted);
    }

    private void checkGone(Log log) throws MetadataException {
        List<Path> left = disk.list(ROOT.resolve("segments")
                .resolve(log.model.id().topicId())
                .resolve("" + log.model.id().partition()));
        if (!log.deleted
                || !left.isEmpty()
                || !partitions.list(log.model.id().topicId()).isEmpty()) {
            throw scheduler.violated("what was deleted is gone", log + " has left " + left);
        }
    }

    @Override
    public void acknowledged(String what) {
        scheduler.acknowledged(what);
    }

    @Override
    public Violation violated(String promise, String what) {
        return scheduler.violated(promise, what);
    }

    @Override
    public void errorLogged(String message) {
        scheduler.note("LOGS: " + message);
        for (Log log : logs) {
            if (message.contains(log.model.id().topicId())) {
                log.model.lastError(message);
            }
            if (!disturbed && log.deleting && message.contains(log.model.id().topicId())) {
                scheduler.violated("a deletion disturbs nobody", message);
            }
        }
    }
}
