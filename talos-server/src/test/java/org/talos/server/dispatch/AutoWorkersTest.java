// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.server.dispatch.AutoWorkers.Period;
import org.talos.server.dispatch.PoolSimulation.Result;
import org.talos.server.dispatch.PoolSimulation.Task;

/** The number of workers that follows from what is measured, in a simulation and by single periods. */
@Timeout(600) // it only computes, on a machine that may be busy
class AutoWorkersTest {
    private static final long SEED = Long.getLong("talos.test.seed", 20_261_127);
    private static final int PROCESSORS = 2;
    private static final int CLIENTS = 120;
    private static final List<Integer> FIXED = List.of(2, 4, 8, 16, 24, 32, 48, 64, 96, 128);
    private static final double SETTLING_SECONDS = 25;
    private static final double MEASURED_SECONDS = 6;

    /** Times of tasks, for each kind of store. */
    private enum Kind {
        /** The local store: hardly anything but processor time. */
        LOCAL,
        /** As HDFS. */
        WAITING,
        /** As HDFS, each write taking equally long. */
        REGULAR,
        /** So slow that the processors are idle whatever the number. */
        SLOW,
        /** A tenth of the partitions is on a store that is held up for seconds. */
        HELD_UP,
        /** The same, and the others wait as well. */
        HELD_UP_AND_WAITING;

        Task draw(int client, SplittableRandom random) {
            boolean held = client % 10 == 0;
            return switch (this) {
                case LOCAL -> task(50 * chance(random), 5 * chance(random));
                case WAITING -> task(100 * chance(random), 3_000 * chance(random));
                case REGULAR -> task(100, 3_000);
                case SLOW -> task(100 * chance(random), 30_000 * chance(random));
                case HELD_UP -> held ? task(50, 3_000_000) : LOCAL.draw(1, random);
                case HELD_UP_AND_WAITING -> held ? task(50, 3_000_000) : WAITING.draw(1, random);
            };
        }

        private static Task task(double processorMicros, double waitMicros) {
            return new Task(
                    (long) (processorMicros * PoolSimulation.MICRO), (long) (waitMicros * PoolSimulation.MICRO));
        }

        /** Of mean 1, and mostly less. */
        private static double chance(SplittableRandom random) {
            return -Math.log(1 - random.nextDouble());
        }
    }

    private static AutoWorkers auto() {
        return new AutoWorkers(2 * PROCESSORS, 1_024);
    }

    private static PoolSimulation simulation(Kind kind) {
        return new PoolSimulation(PROCESSORS, CLIENTS, kind::draw, SEED);
    }

    /** Returns the result of the best fixed number: the one with the most tasks a second. */
    private static Result best(Kind kind) {
        TreeMap<Double, Result> results = new TreeMap<>();
        for (int fixed : FIXED) {
            PoolSimulation simulation = simulation(kind).fixed(fixed);
            simulation.run(3);
            Result result = simulation.run(MEASURED_SECONDS);
            results.put(result.perSecond(), result);
        }
        return results.lastEntry().getValue();
    }

    private static void assertAsGood(Result found, Result best) {
        assertThat(found.perSecond())
                .as("%s, where the best is %s", found, best)
                .isGreaterThan(0.95 * best.perSecond());
        assertThat(found.p99Millis())
                .as("%s, where the best is %s", found, best)
                .isLessThan(1.05 * best.p99Millis());
        assertThat(found.changes()).as("%s has settled", found).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"WAITING", "SLOW", "HELD_UP_AND_WAITING"})
    void isAsGoodAsTheBestFixedNumberAndStaysWhatItIs(Kind kind) {
        assertAsGoodAsTheBest(kind);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"LOCAL", "REGULAR", "HELD_UP"})
    @Tag("full") // processor
    @Tag("servers")
    void isAsGoodAsTheBestFixedNumberForOtherStoresToo(Kind kind) {
        assertAsGoodAsTheBest(kind);
    }

    private static void assertAsGoodAsTheBest(Kind kind) {
        PoolSimulation simulation = simulation(kind).auto(auto());
        simulation.run(SETTLING_SECONDS);

        assertAsGood(simulation.run(MEASURED_SECONDS), best(kind));
    }

    @Test
    @Tag("full") // processor
    @Tag("servers")
    void isAsGoodAgainAfterEachChangeOfTheStoreUnderLoad() {
        PoolSimulation simulation = simulation(Kind.LOCAL).auto(auto());
        for (Kind next : List.of(Kind.LOCAL, Kind.WAITING, Kind.LOCAL, Kind.HELD_UP, Kind.SLOW, Kind.HELD_UP)) {
            simulation.with(next::draw);
            simulation.run(SETTLING_SECONDS);

            assertAsGood(simulation.run(MEASURED_SECONDS), best(next));
        }
    }

    @Test
    void doesNotOvershootOnItsWay() {
        PoolSimulation simulation = simulation(Kind.WAITING).auto(auto());
        int settled = simulation.run(SETTLING_SECONDS).workers();

        assertThat(simulation.mostWorkers()).isLessThan(settled * 3 / 2);
    }

    @Test
    @Tag("full") // processor
    @Tag("servers")
    void moreThanEnoughWorkersGoAStepAtATime() {
        PoolSimulation simulation = simulation(Kind.SLOW).auto(auto());
        simulation.run(SETTLING_SECONDS);
        simulation.with(Kind.LOCAL::draw);
        List<Integer> numbers = new ArrayList<>();
        for (int second = 0; second < SETTLING_SECONDS; second++) {
            numbers.add(simulation.run(1).workers());
        }

        for (int i = 1; i < numbers.size(); i++) {
            assertThat(numbers.get(i))
                    .as("after %s", numbers.get(i - 1))
                    .isBetween(numbers.get(i - 1) * 3 / 4, CLIENTS);
        }
        assertThat(numbers.get(numbers.size() - 1)).isLessThanOrEqualTo(8);
    }

    @Test
    void aStoreThatAnswersNothingAtAllCallsForAWorkerForEachKey() {
        AutoWorkers auto = auto();
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 7; i++) { // all workers wait, no task has ended, nothing used a processor
            numbers.add(auto.after(new Period(auto.workers(), 0, 0, 100, PROCESSORS, 0.01)));
        }

        assertThat(numbers).containsExactly(8, 16, 32, 64, 100, 100, 100);
    }

    @ParameterizedTest
    @CsvSource({"5, 8, 8", "2000, 8, 40"})
    void staysWithinItsBounds(int keys, int least, int expected) {
        AutoWorkers auto = new AutoWorkers(least, 40);
        for (int i = 0; i < 10; i++) {
            var unused = auto.after(new Period(auto.workers(), 0, 0, keys, PROCESSORS, 0));
        }

        assertThat(auto.workers()).isEqualTo(expected);
    }

    @Test
    void whoWaitsForAProcessorIsNoReasonForAnotherWorker() {
        AutoWorkers auto = auto();
        for (int i = 0; i < 10; i++) {
            var unused = auto.after(new Period(auto.workers(), 0.5, auto.workers() - 0.5, 100, PROCESSORS, 0.3));
        }

        assertThat(auto.workers()).isEqualTo(4); // others use the processors
    }

    @Test
    void busyProcessorsOfAMachineThatDoesNotSayWhoWaitsForThemAreNoReasonEither() {
        AutoWorkers auto = auto();
        for (int i = 0; i < 10; i++) {
            var unused = auto.after(new Period(auto.workers(), 2, Double.NaN, 100, PROCESSORS, 0.95));
        }
        assertThat(auto.workers()).isEqualTo(4);

        var unused = auto.after(new Period(auto.workers(), 0.1, Double.NaN, 100, PROCESSORS, 0.1));
        assertThat(auto.workers()).isEqualTo(8);
    }

    @Test
    void aLoadThatComesAndGoesFindsItsWorkersAgainAndOneThatStaysAwayLeavesThem() {
        AutoWorkers auto = auto();
        for (int second = 0; second < 20; second++) {
            boolean loaded = second % 10 < 5;
            for (int i = 0; i < 2; i++) {
                var unused = auto.after(
                        loaded
                                ? new Period(Math.min(64, auto.workers()), 0.5, 0, 64, PROCESSORS, 0.3)
                                : new Period(0, 0, 0, 0, PROCESSORS, 0));
            }
        }
        assertThat(auto.workers()).isEqualTo(64);

        for (int i = 0; i < 120; i++) {
            var unused = auto.after(new Period(0, 0, 0, 0, PROCESSORS, 0));
        }
        assertThat(auto.workers()).isEqualTo(4);
    }
}
