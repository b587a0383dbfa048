// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.report.Measure;
import org.talos.bench.synchronous.LoadCounts;
import org.talos.bench.synchronous.LoadThreads;
import org.talos.bench.synchronous.SynchronousClient;
import org.talos.bench.synchronous.SynchronousLoad;
import org.talos.bench.synchronous.SynchronousSettings;

@Timeout(120)
@Tag("full") // processes
@Tag("bench")
class LoadProcessTest {
    @TempDir
    Path folder;

    /** A library without a server: what is put is got. Fails after so many puts, or loses some. */
    public static final class Memory implements SynchronousClient {
        private static final long MILLI = 1_000_000;

        private final long fails;
        private final long loses;
        private final AtomicLong stored = new AtomicLong();
        private final List<BlockingQueue<byte[]>> partitions = new ArrayList<>();

        private Memory(int partitions, long fails, long loses) {
            this.fails = fails;
            this.loses = loses;
            for (int i = 0; i < partitions; i++) {
                this.partitions.add(new LinkedBlockingQueue<>());
            }
        }

        public static void main(String[] arguments) {
            long fails = Long.parseLong(arguments[SynchronousSettings.ARGUMENTS]);
            long loses = Long.parseLong(arguments[SynchronousSettings.ARGUMENTS + 1]);
            SynchronousLoad.main(arguments, settings -> {
                if (fails == 0) {
                    throw new IOException("no server");
                }
                return new Memory(settings.partitions(), fails, loses);
            });
        }

        @Override
        public Putter putter(int partition) {
            BlockingQueue<byte[]> messages = partitions.get(partition);
            AtomicLong puts = new AtomicLong();
            return message -> {
                LockSupport.parkNanos(MILLI); // as if a server had something to do
                if (puts.getAndIncrement() == fails) {
                    throw new IOException("the broker is gone");
                }
                stored.incrementAndGet();
                messages.add(message.clone());
            };
        }

        @Override
        public Getter getter(int partition) {
            BlockingQueue<byte[]> messages = partitions.get(partition);
            return (within, taker) -> {
                byte[] message = messages.poll(within.toMillis(), TimeUnit.MILLISECONDS);
                if (message == null) {
                    return 0;
                }
                taker.accept(message);
                return 1;
            };
        }

        @Override
        public long stored() {
            return stored.get() - loses;
        }

        @Override
        public void close() {}
    }

    private LoadProcess.Outcome run(String... behavior) throws IOException, InterruptedException {
        long pid = ProcessHandle.current().pid();
        List<String> program = new ArrayList<>(List.of(Memory.class.getName()));
        program.addAll(
                new SynchronousSettings("nowhere", pid, folder.toString(), 3, 3, 3, 100, 0, Duration.ofMillis(500))
                        .arguments());
        program.addAll(List.of(behavior));
        return LoadProcess.run(
                System.getProperty("java.class.path"), program, pid, Duration.ofMillis(300), folder.resolve("log"));
    }

    private static PeersFigures figures(LoadProcess.Outcome outcome) {
        return new PeersFigures(PeerCase.KAFKA, Shape.MANY, 1, outcome);
    }

    @Test
    void everythingThatIsPutIsGotAndMeasured() throws IOException, InterruptedException {
        LoadProcess.Outcome outcome = run("1000000", "0");

        PeersFigures figures = figures(outcome);
        assertThat(figures.wrong()).isEmpty();
        Measure puts = figures.measures().get(0);
        Measure gets = figures.measures().get(1);
        assertThat(puts.perSecond()).isPositive();
        assertThat(gets.latencyNanos().getValueAtPercentile(99)).isBetween(1L, 10_000_000_000L);
        assertThat(outcome.memory().clientKib()).isPositive();
        assertThat(outcome.threads()).extracting(LoadThreads::process).containsExactly("server", "client");
        assertThat(outcome.warmUpSeconds()).isBetween(0.3, 30.0);
    }

    @Test
    void brokerThatFailsUnderLoadIsCountedAndEndsInTime() throws IOException, InterruptedException {
        LoadProcess.Outcome outcome = run("2", "0");

        LoadCounts counts = outcome.counts();
        assertThat(counts.acknowledged()).isEqualTo(6);
        assertThat(counts.received()).isEqualTo(6);
        assertThat(counts.failed()).as("one of each thread that puts").isEqualTo(3);
        assertThat(figures(outcome).wrong())
                .hasValueSatisfying(wrong -> assertThat(wrong).contains("the broker is gone"));
    }

    @Test
    void brokerThatLosesAMessageIsWrong() throws IOException, InterruptedException {
        assertThat(figures(run("1000000", "1")).wrong()).isPresent();
    }

    @Test
    void clientThatCannotBeginSaysWhyInItsLog() throws IOException {
        assertThatThrownBy(() -> run("0", "0"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the client did not start: see ")
                .hasMessageContaining("no server");
        assertThat(Files.readString(folder.resolve("log"))).contains("no server");
    }
}
