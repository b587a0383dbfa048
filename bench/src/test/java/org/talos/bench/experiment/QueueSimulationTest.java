// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.function.DoubleToLongFunction;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Tests which claims of {@code bench talos216} follow from queues alone, on processors that are always available. */
class QueueSimulationTest {
    private static final long SEED = Long.getLong("talos.test.seed", 20_261_127);
    private static final int KEYS = 120;
    private static final int SECONDS = 120;

    private static final long SLOWED_NANOS = 500_000_000; // a read that the server delays: half of the longest time

    private final Delays hflush = Delays.hflush().times(Double.parseDouble(Version.SLOWER));
    private final Delays read = Delays.read().times(Double.parseDouble(Version.SLOWER));

    QueueSimulationTest() throws IOException {}

    private Histogram run(boolean byHash, int jetty) {
        return new QueueSimulation(KEYS, KEYS, byHash, jetty, hflush::nanosAt, SEED).run(SECONDS);
    }

    /** Two clients, with 500 gets a second each: of each connection one in 240 ms. */
    private Histogram runTwoClients(boolean byHash, DoubleToLongFunction getHeld) {
        return new QueueSimulation(2 * KEYS, KEYS, byHash, 100, hflush::nanosAt, SEED)
                .withGets(2 * KEYS, 240_000_000, getHeld)
                .run(SECONDS);
    }

    private static double ratio(Histogram one, Histogram other, double percentile) {
        return (double) one.getValueAtPercentile(percentile) / other.getValueAtPercentile(percentile);
    }

    @Test
    void aWorkerOfItsOwnForEachKeyDoesMoreAndSooner() {
        Histogram hash = run(true, 100);
        Histogram affinity = run(false, 100);

        assertThat((double) affinity.getTotalCount() / hash.getTotalCount()).isGreaterThan(1.10);
        assertThat(affinity.getMean() / hash.getMean()).isLessThan(0.70);
        assertThat(ratio(affinity, hash, 75)).isLessThan(0.72);
        assertThat(ratio(affinity, hash, 99)).isLessThan(0.70);
    }

    @Test
    void twoClientsWithGetsThatAreAnsweredSoonShowTheSame() {
        Histogram hash = runTwoClients(true, read::nanosAt);
        Histogram affinity = runTwoClients(false, read::nanosAt);

        assertThat((double) affinity.getTotalCount() / hash.getTotalCount()).isGreaterThan(1.10);
        assertThat(affinity.getMean() / hash.getMean()).isLessThan(0.70);
        assertThat(ratio(affinity, hash, 75)).isLessThan(0.72);
        assertThat(ratio(affinity, hash, 99)).isLessThan(0.70);
    }

    /** Which is why the reported versions do not slow reads for puts. */
    @Test
    void getsThatTheServerDelaysTakeTheThreadsOfJettyFromThePuts() {
        Histogram hash = runTwoClients(true, quantile -> SLOWED_NANOS);
        Histogram affinity = runTwoClients(false, quantile -> SLOWED_NANOS);

        assertThat((double) affinity.getTotalCount() / hash.getTotalCount()).isLessThan(1.10);
        assertThat(affinity.getMean() / hash.getMean()).isGreaterThan(0.90);
    }

    /** Which is why the claim for it is another. */
    @Test
    void oneInAThousandWaitsLongestForTheStoreAndHardlyGetsUnderSevenTenths() {
        Histogram hash = run(true, 100);
        Histogram nobodyWaits = run(false, KEYS);

        assertThat(ratio(nobodyWaits, hash, 99.9)).isBetween(0.65, 0.80);
        assertThat(ratio(run(false, 100), hash, 99.9)).isBetween(0.65, 0.90);
    }

    @Test
    void threadsOfJettysForAllPutsDoMoreThanForMostOfThem() {
        Histogram few = run(false, 100);
        Histogram enough = run(false, 300);

        assertThat((double) enough.getTotalCount() / few.getTotalCount()).isGreaterThan(1.10);
        assertThat(ratio(enough, few, 75)).isLessThan(1);
    }
}
