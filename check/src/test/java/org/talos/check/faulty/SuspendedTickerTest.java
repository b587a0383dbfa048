// SPDX-License-Identifier: Apache-2.0
package org.talos.check.faulty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class SuspendedTickerTest {
    private static final long START = 1_000;
    private static final Duration SUSPENDED = Duration.ofSeconds(40);

    @TempDir
    private Path folder;

    private final AtomicLong nanos = new AtomicLong(START);
    private Path file;

    @BeforeEach
    void create() throws IOException {
        file = folder.resolve("suspended");
        SuspendedTicker.add(file, Duration.ZERO);
    }

    @Test
    void timeForWhichTheMachineWasSuspendedIsMissing() throws Exception {
        SuspendedTicker ticker = new SuspendedTicker(file, nanos::get);
        nanos.addAndGet(SUSPENDED.toNanos() + 5);

        SuspendedTicker.add(file, SUSPENDED);

        assertThat(ticker.nanos()).isEqualTo(START + 5);
    }

    @Test
    void timesAddUpAlsoForTheNextProcess() throws Exception {
        SuspendedTicker.add(file, SUSPENDED);
        SuspendedTicker.add(file, SUSPENDED);
        nanos.addAndGet(2 * SUSPENDED.toNanos());

        assertThat(new SuspendedTicker(file, nanos::get).nanos()).isEqualTo(START);
    }

    /** The clock is read before the stop, or what the file says is: neither may go with what is read after it. */
    @Test
    void stopInTheMiddleOfAReadingNeitherMovesTheClockAheadNorBack() throws Exception {
        AtomicLong readings = new AtomicLong();
        SuspendedTicker ticker = new SuspendedTicker(file, () -> {
            long read = nanos.get();
            if (readings.incrementAndGet() == 1) {
                stop();
            }
            return read;
        });

        assertThat(ticker.nanos()).isEqualTo(START + TimeUnit.MILLISECONDS.toNanos(1));
    }

    /** The process is stopped for a little longer than is counted. */
    private void stop() {
        try {
            nanos.addAndGet(SUSPENDED.plusMillis(1).toNanos());
            SuspendedTicker.add(file, SUSPENDED);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
