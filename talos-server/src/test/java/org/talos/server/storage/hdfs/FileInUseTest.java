// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.simulation.Scheduler;
import org.talos.server.simulation.SimulatedProcess;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.testing.SmallLogs;

/** Two threads of a server that use the same file, as steps of a simulation. */
@Timeout(60)
class FileInUseTest {
    private static final long SECOND = 1_000_000_000L;
    private static final SegmentName SEGMENT = new SegmentName(new LogId("0123456789abcdef0123456789abcdef", 0), 0, 1);
    private static final HdfsConfig CONFIG = TestConfig.of(HdfsConfig.class)
            .with("root", "/talos")
            .with("journals", 1)
            .with("replication", 1)
            .with("blockBytes", 1 << 20)
            .with("recoveriesAtOnce", 8)
            .create();

    private final Random random = new Random(1);
    private final Scheduler scheduler = new Scheduler(random, new ArrayList<>(), SECOND);
    private final SimulatedProcess server = scheduler.process("server");
    private final SimulatedHdfs files = new SimulatedHdfs(random, scheduler::nanos);
    private final List<String> ended = new ArrayList<>();

    @BeforeEach
    void begin() {
        scheduler.suspendSteps();
        files.make("/talos");
    }

    @AfterEach
    void close() {
        scheduler.close();
    }

    /** Calls of which those that cut a file take time. Confined: the simulation's thread. */
    private final class SlowCuts implements SimulatedDfs.Calls {
        @Override
        public void before(String operation, String path) {
            if (operation.equals("truncate")) {
                server.call(2 * SECOND);
            }
        }

        @Override
        public void after(String operation, String path) {
            // No answer is lost.
        }

        @Override
        public long recoveryNanos() {
            return 0;
        }
    }

    /** Work of a step. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException, StorageException;
    }

    private void step(String pool, Work work) {
        server.pool(pool, 1, true).execute(() -> {
            try {
                work.run();
            } catch (IOException | StorageException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** The recovery holds the lock of the segment's name meanwhile, which the other thread does not need. */
    @Test
    void threadThatUsesAFileContinuesWhileARecoveryWaitsForIt() {
        step("main", () -> {
            JournaledSegmentStore store = SimulatedDfs.open(files, server, new SlowCuts(), CONFIG, SmallLogs.CONFIG);
            SegmentWriter writer = store.create(SEGMENT, SegmentOptions.DEFAULT);
            var unused = writer.append(List.of(ByteBuffer.allocate(10)));
            writer.seal();
            step("cuts", () -> {
                store.truncate(SEGMENT, 4);
                ended.add("cut");
            });
            server.after(SECOND, () -> step("recovery", () -> ended.add("recovered " + store.recover(SEGMENT))));
        });

        scheduler.runUntil(60 * SECOND);

        assertThat(ended).containsExactly("cut", "recovered 4");
    }
}
