// SPDX-License-Identifier: Apache-2.0
package org.talos.client.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.talos.server.simulation.SimulationRuns;

/** The SDK's consumers and producers on simulated machines, in as many orders as there are seeds. */
@Timeout(3_600)
class SdkSimulationTest {
    private static final int SEEDS = 40;

    private final LoggerContext logging = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final Listening listening = new Listening();
    private volatile @Nullable SdkRun running;

    @BeforeEach
    void listen() {
        logging.addTurboFilter(listening);
    }

    @AfterEach
    void listenNoMore() {
        logging.getTurboFilterList().remove(listening);
    }

    @Test
    void nothingIsSkippedAndEverythingEnds() throws Exception {
        assertThat(SimulationRuns.all(SEEDS, seed -> {
                    SdkRun run = new SdkRun(seed);
                    running = run;
                    return run;
                }))
                .isEmpty();
    }

    /** Hands errors that simulated threads log to the run, and keeps the log free of them. */
    private final class Listening extends TurboFilter {
        @Override
        public FilterReply decide(
                @Nullable Marker marker,
                Logger logger,
                Level level,
                @Nullable String format,
                Object @Nullable [] arguments,
                @Nullable Throwable cause) {
            if (!Turns.isSimulated(Thread.currentThread())) {
                return FilterReply.NEUTRAL;
            }
            SdkRun run = running;
            if (level == Level.ERROR && run != null) {
                run.errorLogged(String.valueOf(format));
            }
            return FilterReply.DENY;
        }
    }
}
