// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.talos.cli.Progress.Unit;

class ProgressTest {
    private final StringWriter err = new StringWriter();
    private long nanos;

    private Progress progress(boolean terminal, String name, Unit unit, long whole) {
        return new Progress(new PrintWriter(err), terminal, () -> nanos, name, unit, whole);
    }

    private void pass(long millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void barGrowsOnATerminalAndIsTakenAway() {
        Progress progress = progress(true, "put", Unit.BYTES, 4 << 20);

        pass(1_000);
        progress.add(1 << 20);
        pass(1_000);
        progress.add(1 << 20);
        progress.close();

        assertThat(err)
                .hasToString("\rput          [#####---------------]  25 %  1.00 MiB  1.00 MiB/s  0:03 left\033[K"
                        + "\rput          [##########----------]  50 %  2.00 MiB  1.00 MiB/s  0:02 left\033[K"
                        + "\r\033[K");
    }

    @Test
    void workOfAMomentShowsNothing() {
        Progress progress = progress(true, "put", Unit.BYTES, 100);

        pass(400);
        progress.add(100);
        progress.close();

        assertThat(err.toString()).isEmpty();
    }

    @Test
    void terminalIsDrawnTenTimesASecondAtMost() {
        Progress progress = progress(true, "get", Unit.MESSAGES, 1_000);

        for (int i = 0; i < 1_000; i++) {
            pass(1);
            progress.add(1);
        }

        assertThat(err.toString().chars().filter(each -> each == '\r').count()).isBetween(4L, 6L);
    }

    @Test
    void elsewhereItIsAPlainLineNowAndThen() {
        Progress progress = progress(false, "drain", Unit.PARTITIONS, 200);

        for (int i = 0; i < 25; i++) {
            pass(1_000);
            progress.at(i * 4L, 200);
        }
        progress.close();

        assertThat(err.toString().lines())
                .containsExactly(
                        "drain         18 %  36 partitions  3.60/s  0:46 left",
                        "drain         38 %  76 partitions  3.80/s  0:33 left");
    }

    @Test
    void workWithoutAKnownEndHasNoBar() {
        Progress progress = progress(true, "put", Unit.BYTES, 0);

        pass(2_000);
        progress.add(2_048);

        assertThat(err).hasToString("\rput          2.00 KiB  1.00 KiB/s  0:02\033[K");
    }

    /** As of a pipe into put that never ends. */
    @Test
    void workWithoutAKnownEndFillsNoLog() {
        Progress progress = progress(false, "put", Unit.BYTES, 0);

        pass(60_000);
        progress.add(2_048);

        assertThat(err.toString()).isEmpty();
    }

    @Test
    void nothingIsShownOfWhatHasEnded() {
        Progress progress = progress(true, "put", Unit.BYTES, 10);
        progress.close();

        pass(5_000);
        progress.add(1);
        progress.close();

        assertThat(err.toString()).isEmpty();
    }

    @Test
    void lineFitsATerminalOf80Columns() {
        Progress progress = progress(true, "reading segments of a data directory", Unit.MESSAGES, Long.MAX_VALUE);

        pass(1_000);
        progress.add(1);

        assertThat(err.toString().replaceAll("[\r\033]|\\[K", "").length()).isLessThan(80);
    }
}
