// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers, most of which cannot start, since their data directory is a file. */
@Timeout(120)
@Tag("full") // processes
@Tag("servers")
class TalosProcessTest {
    @TempDir
    private Path folder;

    private final AtomicInteger asked = new AtomicInteger();

    private TalosProcess process(TalosProcess.Dependencies dependencies) throws IOException {
        return process(Files.createFile(folder.resolve("data")), dependencies);
    }

    private TalosProcess process(Path data, TalosProcess.Dependencies dependencies) throws IOException {
        return new TalosProcess(
                Map.of(
                        "TALOS_DATADIRECTORY",
                        data.toString(),
                        "TALOS_HTTP_PORT",
                        "0",
                        "TALOS_MANAGEMENT_ENABLED",
                        "false"),
                URI.create("http://127.0.0.1:1"),
                folder.resolve("server.log"),
                folder,
                dependencies);
    }

    @Test
    void serverIsStartedAgainOnceWhatItNeedsRunsAgain() throws Exception {
        try (TalosProcess process = process(() -> {
            asked.incrementAndGet();
            Files.delete(folder.resolve("data"));
            return true;
        })) {
            process.start();

            assertThat(process.hasEnded()).isFalse();
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void serverThatDoesNotStartThoughAllItNeedsRunsIsAnError() throws Exception {
        try (TalosProcess process = process(() -> asked.incrementAndGet() == 0)) {
            assertThatThrownBy(process::start)
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll("a server did not start", "server.log", "cannot be made: it is a file");
            assertThat(asked).hasValue(1);
        }
    }

    /** The folder's name is the message of a server without an answer of ZooKeeper in time. */
    @Test
    void serverThatHasWaitedInVainIsStartedAgainThoughAllItNeedsRuns() throws Exception {
        Path data = Files.createFile(folder.resolve("zookeeper.connect: it does not answer, or not in time"));
        try (TalosProcess process = process(data, () -> {
            if (asked.incrementAndGet() == 2) {
                Files.delete(data);
            }
            return false;
        })) {
            process.start();

            assertThat(process.hasEnded()).isFalse();
            assertThat(asked).hasValue(2);
        }
    }

    @Test
    void suspendedServerContinuesAndIsToldForHowLongItsMonotonicClockWasStopped() throws Exception {
        try (TalosProcess process = process(folder.resolve("fine"), () -> false)) {
            process.start();
            long begun = System.nanoTime();

            process.suspend();
            process.resume();

            long most = System.nanoTime() - begun;
            long counted = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("suspended")))
                    .getLong();
            assertThat(counted).isPositive().isLessThan(most);
            assertThat(process.hasEnded()).isFalse();
            process.stop();
        }
    }

    @Test
    void resumeOfAServerThatWasKilledMeanwhileDoesNothing() throws Exception {
        try (TalosProcess process = process(folder.resolve("fine"), () -> false)) {
            process.start();
            process.suspend();
            process.kill();

            process.resume();

            assertThat(Files.readAllBytes(folder.resolve("suspended"))).containsOnly(0);
        }
    }

    @Test
    void itTriesOnceMoreOnly() throws Exception {
        try (TalosProcess process = process(() -> asked.incrementAndGet() > 0)) {
            assertThatThrownBy(process::start).isInstanceOf(IOException.class);
            assertThat(asked).hasValue(1);
        }
    }
}
