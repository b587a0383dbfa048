// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WaitingTest {
    private final StringWriter err = new StringWriter();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private long nanos;

    private final CommandContext context =
            new CommandContext(Map.of(), InputStream.nullInputStream(), out, Path.of("none"), true, true, true);

    private Waiting waiting() {
        return new Waiting(context, new PrintWriter(err), () -> nanos, "bench run");
    }

    @Test
    void timeIsShownAndTakenAwayBeforeAnythingIsPrinted() throws Exception {
        try (Waiting waiting = waiting()) {
            nanos = TimeUnit.SECONDS.toNanos(75);
            waiting.draw();
            waiting.context().line("a result");
            waiting.context().line("another one");

            assertThat(err).hasToString("\rbench run  1:15\033[K\r\033[K");
            assertThat(out).hasToString("a result\nanother one\n");
            waiting.draw();
        }

        assertThat(err.toString()).endsWith("1:15\033[K\r\033[K");
    }

    @Test
    void whatHasEndedBeforeAnythingWasShownLeavesNothing() {
        Waiting waiting = waiting();
        waiting.close();
        waiting.draw();

        assertThat(err.toString()).isEmpty();
    }

    /** Programs read standard error too: there is one object on it, if any. */
    @Test
    void nobodyWatchesWhatProgramsRead() {
        CommandContext unwatched = context.unwatchedIf(true);

        assertThat(unwatched.watched()).isFalse();
        assertThat(unwatched.terminal() && unwatched.interactive()).isTrue();
        assertThat(context.unwatchedIf(false)).isSameAs(context);
    }
}
