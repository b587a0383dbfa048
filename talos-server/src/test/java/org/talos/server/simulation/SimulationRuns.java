// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;

/**
 * Many runs of a simulation, each by its seed; the first that breaks a promise prints its history. Properties:
 *
 * <pre>
 * talos.simulation.seeds=10000     so many
 * talos.simulation.times=10        a multiple of the usual number, as -Pfull does
 * talos.simulation.seed=4711       from this one on; with seeds=1 this one again
 * talos.simulation.survey=true     continues behind a broken promise, and counts
 * talos.simulation.passedOver=...  names of promises or faults, separated by commas, that are not asked for or not made
 * </pre>
 *
 * <p>Confined: the thread of the test.
 */
public final class SimulationRuns {
    private static final long FIRST_SEED = Long.getLong("talos.simulation.seed", 1);
    private static final long TIMES = Long.getLong("talos.simulation.times", 1);
    private static final boolean SURVEY = Boolean.getBoolean("talos.simulation.survey");
    private static final int LAST_STEPS = Integer.getInteger("talos.simulation.lastSteps", 300);
    private static final int SHOWN = 5;

    private final Maker maker;
    private final long seeds;
    private final Map<String, List<String>> broken = new TreeMap<>();
    private volatile @Nullable Run running;
    private volatile @Nullable Thread simulating;

    private SimulationRuns(Maker maker, long seeds) {
        this.maker = maker;
        this.seeds = seeds;
    }

    /** One run. Confined: the simulation's thread. */
    public interface Run {
        /** Runs to the end, or to the first promise that is broken. */
        void run() throws Exception;

        /** Returns the events so far. */
        List<String> history();

        /** An error that was logged by what is simulated. */
        void errorLogged(String message);

        /** Returns whether a thread, other than the simulation's own, runs steps of the simulation. */
        default boolean runs(Thread thread) {
            return false;
        }
    }

    /** Makes runs. */
    @FunctionalInterface
    public interface Maker {
        /** A run by this seed. */
        Run of(long seed) throws Exception;
    }

    /** Returns the usual number of attempts, multiplied as the property says. */
    public static int times(int usual) {
        return Math.toIntExact(usual * TIMES);
    }

    /**
     * Runs as many seeds as the properties say, else these; returns the promises that were broken, and by which seeds.
     */
    public static Map<String, List<String>> all(long seeds, Maker maker) throws Exception {
        SimulationRuns runs = new SimulationRuns(maker, Long.getLong("talos.simulation.seeds", seeds * TIMES));
        return runs.listening(runs::runAll);
    }

    private <T> T listening(Callable<T> task) throws Exception {
        LoggerContext logging = (LoggerContext) LoggerFactory.getILoggerFactory();
        TurboFilter listening = new Listening();
        logging.addTurboFilter(listening);
        ForkJoinPool one = new ForkJoinPool(1); // so that parallel streams of the server stay on the one thread
        try {
            return one.submit(task).get();
        } finally {
            one.shutdownNow();
            logging.getTurboFilterList().remove(listening);
        }
    }

    /** Returns the first of so many seeds that breaks a promise, with the promise; empty if none does. */
    public static Optional<String> first(long seeds, Maker maker) throws Exception {
        SimulationRuns runs = new SimulationRuns(maker, seeds);
        return runs.listening(runs::runToFirst);
    }

    private Optional<String> runToFirst() throws Exception {
        simulating = Thread.currentThread();
        for (long seed = 1; seed <= seeds; seed++) {
            try {
                Run run = maker.of(seed);
                running = run;
                run.run();
            } catch (Violation e) {
                return Optional.of("seed " + seed + ": " + e.getMessage());
            }
        }
        return Optional.empty();
    }

    private Map<String, List<String>> runAll() throws Exception {
        simulating = Thread.currentThread();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + seeds; seed++) {
            running = null;
            try {
                Run run = maker.of(seed);
                running = run;
                run.run();
            } catch (Violation e) {
                if (!SURVEY) {
                    throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + lastSteps(), e);
                }
                List<String> of = broken.computeIfAbsent(e.promise(), promise -> new ArrayList<>());
                of.add(of.size() < SHOWN ? "\nseed " + seed + ": " + e.getMessage() : " " + seed);
            } catch (Exception | Error e) {
                throw new AssertionError("seed " + seed + ": " + e + "\n" + lastSteps(), e);
            }
        }
        return broken;
    }

    private String lastSteps() {
        Run last = running;
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
            Run run = running;
            Thread current = Thread.currentThread();
            if (simulating != current && (run == null || !run.runs(current))) {
                return FilterReply.NEUTRAL;
            }
            if (level == Level.ERROR && run != null) {
                FormattingTuple event = MessageFormatter.arrayFormat(format, arguments);
                Throwable thrown = cause == null ? event.getThrowable() : cause;
                run.errorLogged(event.getMessage() + (thrown == null ? "" : ": " + thrown.getMessage()));
            }
            return FilterReply.DENY;
        }
    }
}
