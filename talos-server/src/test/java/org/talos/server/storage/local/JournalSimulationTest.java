// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.simulation.SimulationRuns;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Power failures at any operation of the disk, by seed. */
@Timeout(900) // 4 s, ten times as long with -Pfull, and more on a busy machine
class JournalSimulationTest {
    private static final long SEEDS = Long.getLong("talos.seeds", SimulationRuns.times(80));
    private static final long FIRST_SEED = Long.getLong("talos.seed", 1);
    private static final int POWER_FAILURES = 3;
    private static final int STEPS = 60;

    @Test
    void whatWasAcknowledgedOutlivesPowerFailures() throws Exception {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try {
                new Run(seed).run();
            } catch (StorageException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private static final class Appended {
        private final byte[] bytes;
        private final CompletableFuture<Void> done;

        Appended(byte[] bytes, CompletableFuture<Void> done) {
            this.bytes = bytes;
            this.done = done;
        }
    }

    /** Knowledge about a segment. */
    private static final class Known {
        private final List<Appended> appends = new ArrayList<>();
        private @Nullable SegmentWriter writer;
        private long fixedLength = -1; // what recover(), seal() or truncate() said last
        private boolean deleted;
        private boolean unsure; // an operation failed: both before and after are right
    }

    private static final class Run {
        private final long seed;
        private final Random random;
        private final LosingDisk disk = new LosingDisk(Stores.MOUNTED);
        private final Map<SegmentName, Known> known = new HashMap<>();
        private long nextOffset;
        private JournaledSegmentStore store;

        Run(long seed) throws StorageException {
            this.seed = seed;
            random = new Random(seed);
            store = Stores.open(disk);
            store.close();
        }

        void run() throws Exception {
            for (int i = 0; i < POWER_FAILURES; i++) {
                open();
                check();
                disk.failAfter(random.nextInt(400));
                for (int step = 0; step < STEPS; step++) {
                    step();
                }
                awaitAll();
                if (random.nextBoolean()) {
                    disk.failAfter(0); // the end comes now; else the store writes out what it can
                }
                store.close();
                disk.powerOff(random);
            }
            open();
            check();
            store.close();
        }

        /** Opening, too, may be cut short. */
        private void open() throws StorageException {
            disk.failAfter(random.nextInt(60));
            try {
                store = Stores.open(disk);
                disk.failAfter(Long.MAX_VALUE);
            } catch (StorageException e) {
                assertThat(e.reason()).as("seed %d: %s", seed, e).isEqualTo(StorageException.Reason.UNAVAILABLE);
                disk.powerOff(random);
                store = Stores.open(disk);
            }
        }

        private void step() {
            List<SegmentName> names = List.copyOf(known.keySet());
            if (names.isEmpty() || random.nextInt(8) == 0) {
                create();
                return;
            }
            SegmentName name = names.get(random.nextInt(names.size()));
            Known segment = Objects.requireNonNull(known.get(name));
            switch (random.nextInt(16)) {
                case 0 -> end(name, segment);
                case 1 -> cut(name, segment);
                case 2 -> delete(name, segment);
                case 3 -> awaitAll();
                default -> append(segment);
            }
        }

        private void create() {
            SegmentName name = Stores.segment(nextOffset++);
            Known segment = new Known();
            known.put(name, segment);
            try {
                segment.writer = store.create(name);
            } catch (StorageException e) {
                segment.unsure = true;
            }
        }

        private void append(Known segment) {
            SegmentWriter writer = segment.writer;
            if (writer != null) {
                byte[] bytes = new byte[1 + random.nextInt(random.nextInt(4) == 0 ? 30_000 : 200)];
                random.nextBytes(bytes);
                int half = random.nextInt(bytes.length);
                List<ByteBuffer> parts =
                        List.of(ByteBuffer.wrap(bytes, 0, half), ByteBuffer.wrap(bytes, half, bytes.length - half));
                segment.appends.add(new Appended(bytes, writer.append(parts)));
            }
        }

        private void end(SegmentName name, Known segment) {
            SegmentWriter writer = segment.writer;
            try {
                if (segment.deleted) {
                    return;
                }
                segment.fixedLength = writer != null && random.nextBoolean() ? writer.seal() : store.recover(name);
                segment.unsure = false;
            } catch (StorageException e) {
                segment.unsure |= segment.fixedLength >= 0;
            }
            segment.writer = null;
        }

        private void cut(SegmentName name, Known segment) {
            end(name, segment);
            if (segment.fixedLength > 0 && !segment.unsure && !segment.deleted) {
                long length = random.nextInt((int) segment.fixedLength);
                try {
                    store.truncate(name, length);
                    segment.fixedLength = length;
                } catch (StorageException e) {
                    segment.unsure = true;
                }
            }
        }

        private void delete(SegmentName name, Known segment) {
            segment.writer = null;
            try {
                store.delete(name);
                segment.deleted = true;
            } catch (StorageException e) {
                segment.unsure = true;
            }
        }

        private void awaitAll() {
            for (Known segment : known.values()) {
                for (Appended append : segment.appends) {
                    append.done
                            .handle((done, error) -> error)
                            .orTimeout(20, TimeUnit.SECONDS)
                            .join();
                }
            }
        }

        private void check() throws StorageException {
            List<SegmentName> listed = store.list(Stores.LOG);
            for (Map.Entry<SegmentName, Known> each : known.entrySet()) {
                Known segment = each.getValue();
                segment.writer = null;
                if (segment.deleted) {
                    assertThat(listed).as("seed %d", seed).doesNotContain(each.getKey());
                    if (random.nextInt(3) == 0) {
                        assertThatThrownBy(() -> store.recover(each.getKey()))
                                .as("seed %d", seed)
                                .hasMessageContaining("is missing");
                    }
                } else if (!segment.unsure) {
                    check(each.getKey(), segment);
                }
            }
        }

        private void check(SegmentName name, Known segment) throws StorageException {
            long length = store.recover(name);
            ByteBuffer expected = ByteBuffer.allocate(1 << 22);
            long acknowledged = 0;
            List<Long> ends = new ArrayList<>(List.of(0L));
            for (Appended append : segment.appends) {
                expected.put(append.bytes);
                ends.add((long) expected.position());
                if (!append.done.isCompletedExceptionally()) {
                    acknowledged = expected.position();
                }
            }
            if (segment.fixedLength >= 0) {
                assertThat(length).as("seed %d: length of %s", seed, name).isEqualTo(segment.fixedLength);
            } else {
                assertThat(length).as("seed %d: length of %s", seed, name).isGreaterThanOrEqualTo(acknowledged);
                assertThat(ends).as("seed %d: whole appends of %s", seed, name).contains(length);
            }
            ByteBuffer read = ByteBuffer.allocate((int) length + 1);
            assertThat(store.read(name, 0, read)).isEqualTo((int) length);
            assertThat(read.flip())
                    .as("seed %d: bytes of %s", seed, name)
                    .isEqualTo(expected.flip().limit((int) length));
            segment.fixedLength = length;
        }
    }
}
