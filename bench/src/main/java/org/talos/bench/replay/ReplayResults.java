// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.Medians;

/** Compares the cases: medians over the rounds of ratios within each round. Confined: the main thread. */
final class ReplayResults {
    private static final double MOST_SLOWER = 1.25;
    private static final double LEAST_OF_DUE = 0.99;
    private static final double P99 = 99;

    private final List<Measure> all = new ArrayList<>();

    void add(Measure measure) {
        all.add(measure);
    }

    /**
     * That a replay does not slow the tail. Of the gets it is the P99 from put to consumer, as what is claimed of the
     * puts is one: a mean hides those whom the replay held up.
     */
    List<Claim> claims() {
        return List.of(
                Claim.atMost("both : tail, P99 of a put", "", slower(ReplayRun.PUT), MOST_SLOWER),
                Claim.atMost("both : tail, P99 until got", "", slower(ReplayRun.UNTIL_GOT), MOST_SLOWER),
                Claim.atLeast("tail, puts : due", "", ofDue(ReplayCase.TAIL), LEAST_OF_DUE),
                Claim.atLeast("both, puts : due", "", ofDue(ReplayCase.BOTH), LEAST_OF_DUE));
    }

    /** What a replay does and costs beside bare reading; nothing is claimed of it. */
    List<String> ratios() {
        return List.of(
                line("replay : bare, MB/s", toBare(ReplayCase.REPLAY, ReplayResults::megabytes)),
                line("replay : bare, CPU a GB of all processes", toBare(ReplayCase.REPLAY, ReplayResults::cpu)),
                line("both : bare, MB/s", toBare(ReplayCase.BOTH, ReplayResults::megabytes)));
    }

    private static String line(String text, double ratio) {
        return String.format(Locale.ROOT, "%s: %.2f", text, ratio);
    }

    private double slower(String operation) {
        return ratio(ReplayCase.BOTH, ReplayCase.TAIL, operation, each -> each.millisAt(P99));
    }

    private double ofDue(ReplayCase what) {
        return Medians.of(of(what, ReplayRun.PUT).mapToDouble(each -> each.perSecond() / figure(each, ReplayRun.DUE)));
    }

    private double toBare(ReplayCase what, ToDoubleFunction<Measure> figure) {
        return ratio(what, ReplayCase.BARE, ReplayRun.READ, figure);
    }

    private static double megabytes(Measure measure) {
        return figure(measure, ReplayWindow.MEGABYTES);
    }

    /** All processors work for it, whichever process they do it in; daemons there are only with HDFS. */
    private static double cpu(Measure measure) {
        return DoubleStream.of(
                        figure(measure, ReplayWindow.SERVER_CPU),
                        figure(measure, ReplayWindow.CLIENT_CPU),
                        measure.figures().getOrDefault(ReplayWindow.DAEMON_CPU, 0.0))
                .sum();
    }

    private static double figure(Measure measure, String name) {
        return measure.figures().getOrDefault(name, Double.NaN);
    }

    private double ratio(ReplayCase one, ReplayCase other, String operation, ToDoubleFunction<Measure> figure) {
        return Medians.of(of(one, operation)
                .flatMapToDouble(each -> of(other, operation)
                        .filter(beside -> beside.round() == each.round())
                        .mapToDouble(beside -> figure.applyAsDouble(each) / figure.applyAsDouble(beside))));
    }

    private Stream<Measure> of(ReplayCase what, String operation) {
        return all.stream()
                .filter(each ->
                        each.caseName().equals(what.label()) && each.operation().equals(operation));
    }
}
