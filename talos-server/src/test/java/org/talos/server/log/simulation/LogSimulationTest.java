// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;

/**
 * Thousands of runs, each by its seed; the first that breaks a promise prints its history. Properties:
 *
 * <pre>
 * talos.simulation.seeds=10000     so many
 * talos.simulation.seed=4711       from this one on; with seeds=1 this one again
 * talos.simulation.survey=true     goes on behind a broken promise, and counts
 * talos.simulation.passedOver=...  names of promises, separated by commas, that are not asked for: to see what is
 *                                  behind them
 * </pre>
 */
@Timeout(900)
class LogSimulationTest {
    private static final long SEEDS = Long.getLong("talos.simulation.seeds", 2_000);
    private static final long FIRST_SEED = Long.getLong("talos.simulation.seed", 1);
    private static final boolean SURVEY = Boolean.getBoolean("talos.simulation.survey");
    private static final int LAST_STEPS = 300;
    private static final int SHOWN = 5;

    private final Map<String, List<String>> broken = new TreeMap<>();
    private volatile @Nullable LogSimulation running;

    @Test
    void whatIsPromisedHoldsInWhateverOrderThingsHappen() throws Exception {
        LoggerContext logging = (LoggerContext) LoggerFactory.getILoggerFactory();
        TurboFilter listening = new Listening();
        logging.addTurboFilter(listening);
        ForkJoinPool one = new ForkJoinPool(1); // so that parallel streams of the server stay on the one thread
        try {
            one.submit(this::runAll).get();
        } finally {
            one.shutdownNow();
            logging.getTurboFilterList().remove(listening);
        }

        assertThat(broken).isEmpty();
    }

    private Void runAll() throws Exception {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try {
                LogSimulation simulation = new LogSimulation(seed);
                running = simulation;
                simulation.run();
            } catch (Violation e) {
                if (!SURVEY) {
                    throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + lastSteps(), e);
                }
                List<String> of = broken.computeIfAbsent(e.promise(), promise -> new ArrayList<>());
                of.add(of.size() < SHOWN ? "\nseed " + seed + ": " + e.getMessage() : " " + seed);
            }
        }
        return null;
    }

    private String lastSteps() {
        LogSimulation last = running;
        List<String> history = last == null ? List.of() : last.history();
        return String.join("\n", history.subList(Math.max(0, history.size() - LAST_STEPS), history.size()));
    }

    /** Hands errors that are logged to the run, and keeps them off the log; those of other threads go their way. */
    private final class Listening extends TurboFilter {
        @Override
        public FilterReply decide(
                @Nullable Marker marker,
                Logger logger,
                Level level,
                @Nullable String format,
                Object @Nullable [] arguments,
                @Nullable Throwable cause) {
            LogSimulation simulation = running;
            if (simulation == null || !simulation.isOwn(Thread.currentThread())) {
                return FilterReply.NEUTRAL;
            }
            if (level == Level.ERROR) {
                FormattingTuple event = MessageFormatter.arrayFormat(format, arguments);
                Throwable thrown = cause == null ? event.getThrowable() : cause;
                simulation.errorLogged(event.getMessage() + (thrown == null ? "" : ": " + thrown.getMessage()));
            }
            return FilterReply.DENY;
        }
    }
}
