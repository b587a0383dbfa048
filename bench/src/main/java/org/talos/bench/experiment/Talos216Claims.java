// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import static org.talos.bench.report.Text.format;

import java.util.List;
import java.util.stream.Stream;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.report.Claim;

/**
 * The claims of the Talos 2.1.6 report, as ratios of this run's medians. Puts only: the report gives no figures of
 * gets.
 *
 * <p>Immutable.
 */
final class Talos216Claims {
    private static final double FASTER = 1.10;
    private static final double SHORTER = 0.70;
    /**
     * One put in a thousand waits longest for the store itself, whatever thread it has: the report's 0.70 is what a
     * simulation of queues has where nobody waits for a thread at all.
     */
    private static final double SHORTER_TAIL = 0.90;

    private static final double HALF = 0.5;
    /** The difference of two rounds of the same server on this machine. */
    private static final double NO_WORSE = 0.97;

    private final Results results;
    private final Storage store;

    Talos216Claims(Results results, Storage store) {
        this.results = results;
        this.store = store;
    }

    /**
     * The claims for so many clients. Of a cluster whose processors are full, who waits for whom decides little: there
     * only what holds in spite of that is claimed.
     *
     * @param paced whether puts came at a given rate, so that versions differ by latencies alone
     */
    List<Claim> of(int clients, boolean paced) {
        Ratios selection = new Ratios(Version.V216, Version.V215, clients);
        Ratios jetty = new Ratios(Version.V216_NEW, Version.V216, clients);
        Ratios ours = new Ratios(Version.OURS, Version.V216_NEW, clients);
        Claim wait = selection.atMost("P999 of the queue wait", Talos216Case.named("queue wait ms P999"), HALF);
        Claim quick = ours.atMost("mean", Talos216Case.MEAN, 1 / NO_WORSE);
        if (store == Storage.CLUSTER) {
            return List.of(wait, quick);
        }
        Stream<Claim> rates = Stream.of(
                selection.atLeast("QPS", Talos216Case.QPS, FASTER),
                jetty.atLeast("QPS", Talos216Case.QPS, FASTER),
                ours.atLeast("QPS", Talos216Case.QPS, NO_WORSE));
        Stream<Claim> latencies = Stream.of(
                selection.atMost("mean", Talos216Case.MEAN, SHORTER),
                selection.atMost("P75", Talos216Case.millisAt(75), SHORTER),
                selection.atMost("P99", Talos216Case.millisAt(99), SHORTER),
                selection.atMost("P999", Talos216Case.millisAt(99.9), SHORTER_TAIL),
                wait,
                jetty.atMost("P75", Talos216Case.millisAt(75), 1),
                quick);
        return (paced ? latencies : Stream.concat(rates, latencies)).toList();
    }

    /** A comparison of two versions. Immutable. */
    private final class Ratios {
        private final Talos216Case one;
        private final Talos216Case other;

        Ratios(Version one, Version other, int clients) {
            this.one = new Talos216Case(store, one, clients);
            this.other = new Talos216Case(store, other, clients);
        }

        private String text(String what) {
            return format("%s : %s, %s", one.label(), other.version().label(), what);
        }

        private double ratio(Figure what) {
            return results.median(one.label(), what) / results.median(other.label(), what);
        }

        Claim atLeast(String what, Figure of, double limit) {
            return Claim.atLeast(text(what), "", ratio(of), limit);
        }

        Claim atMost(String what, Figure of, double limit) {
            return Claim.atMost(text(what), "", ratio(of), limit);
        }
    }
}
