// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import static org.talos.bench.report.Text.format;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;

/**
 * Compares the figures of a sweep with each other, and with the claims of brpc's benchmark of bulk bytes. Immutable.
 */
final class PayloadResults {
    private static final String RATE = "MB/s";
    private static final String OF_THRIFT = "MB/s of thrift";

    /** A tenth is more than two measures of the same differ by. */
    private static final double NOTICEABLE = 1.1;

    /** A twentieth is less than two measures of the same differ by. */
    private static final double NOT_LESS = 0.95;

    private static final int LARGE = 1 << 20;
    private static final int MOST = PayloadSettings.LARGEST_MESSAGE;
    private static final int CLAIMED_DELAY = 1;
    private static final int SMALLER = 256 << 10;

    private final List<PayloadFigures> all;
    private final PayloadSettings settings;

    PayloadResults(List<PayloadFigures> all, PayloadSettings settings) {
        this.all = List.copyOf(all);
        this.settings = settings;
    }

    /** For the report; each rate also beside that of bytes in the message. */
    List<Measure> measures() {
        return all.stream().map(this::measure).toList();
    }

    private Measure measure(PayloadFigures one) {
        SortedMap<String, Double> figures = new TreeMap<>();
        figures.put(RATE, one.megabytesPerSecond());
        figures.put(OF_THRIFT, one.megabytesPerSecond() / rate(one.cell(), Puts.Form.THRIFT.label));
        return new Measure(
                one.cell().label(settings.netem()),
                1,
                one.carrier(),
                one.histogram(),
                one.seconds(),
                one.acknowledged(),
                one.failed(),
                figures);
    }

    private double rate(Cell cell, String carrier) {
        return all.stream()
                .filter(each -> each.cell().equals(cell) && each.carrier().equals(carrier))
                .mapToDouble(PayloadFigures::megabytesPerSecond)
                .findFirst()
                .orElse(Double.NaN);
    }

    private double rawOfThrift(Cell cell) {
        return rate(cell, Puts.Form.RAW.label) / rate(cell, Puts.Form.THRIFT.label);
    }

    /**
     * Returns the published claims, as far as the sweep has cells for them: large bytes are slower in the message than
     * beside it, with a delay of 1 ms.
     */
    List<Claim> claims() {
        int largest = settings.sizes().stream()
                .mapToInt(Integer::intValue)
                .filter(each -> each <= MOST)
                .max()
                .orElse(0);
        String what = "MB/s beside the message (raw) against in it (thrift), 1 ms, " + Cell.sizeLabel(largest);
        Cell alone = new Cell(CLAIMED_DELAY, largest, 1);
        Cell four = new Cell(CLAIMED_DELAY, largest, 4);
        Cell smaller = new Cell(CLAIMED_DELAY, SMALLER, 1);
        List<Claim> claims = new ArrayList<>();
        if (settings.has(alone)) {
            claims.add(Claim.atLeast(
                    what + ", 1 client; published 348/263 = 1.32 at 45 MB", "", rawOfThrift(alone), NOTICEABLE));
        }
        if (settings.has(four)) {
            claims.add(
                    Claim.atLeast(what + ", 4 clients; published 992/870 = 1.14", "", rawOfThrift(four), NOTICEABLE));
        }
        if (settings.has(smaller) && settings.has(alone) && largest > SMALLER) {
            claims.add(Claim.atLeast(
                    "the same ratio of 1 client against that at " + Cell.sizeLabel(SMALLER)
                            + ", for in the message they get slower as they grow; published without a figure",
                    "",
                    rawOfThrift(alone) / rawOfThrift(smaller),
                    NOTICEABLE));
        }
        claims.addAll(ofWays());
        claims.addAll(ofIperf3());
        return claims;
    }

    /** With a delay a stream is not slower than bytes beside a message, nor they than bytes in it. */
    private List<Claim> ofWays() {
        List<Cell> large = all.stream()
                .map(PayloadFigures::cell)
                .filter(each -> each.delayMillis() > 0 && each.size() >= LARGE && each.size() <= MOST)
                .distinct()
                .toList();
        if (large.isEmpty() || settings.windows().isEmpty()) {
            return List.of();
        }
        String where = ", the least ratio of all cells with a delay and " + Cell.sizeLabel(LARGE) + " or more";
        return List.of(
                Claim.atLeast(
                        "MB/s over a stream, " + window() + ", against beside the message (raw)" + where,
                        "",
                        least(large, cell -> ofStream(cell) / rate(cell, Puts.Form.RAW.label)),
                        NOT_LESS),
                Claim.atLeast(
                        "MB/s beside the message (raw) against in it (thrift)" + where,
                        "",
                        least(large, this::rawOfThrift),
                        NOT_LESS));
    }

    private static double least(List<Cell> cells, ToDoubleFunction<Cell> ratio) {
        return cells.stream().mapToDouble(ratio).min().orElse(Double.NaN);
    }

    /** One figure beside one figure: the better of two windows would be better by noise alone. */
    private double ofStream(Cell cell) {
        return rate(cell, StreamPuts.label(Collections.max(settings.windows())));
    }

    private String window() {
        return "window of " + Cell.sizeLabel(Collections.max(settings.windows()));
    }

    /** Without iperf3 they are not measured, and so do not hold. */
    private List<Claim> ofIperf3() {
        if (settings.windows().isEmpty()) {
            return List.of();
        }
        List<Claim> claims = new ArrayList<>();
        Cell near = DiskWrites.CELL;
        Cell far = new Cell(10, LARGE, 1);
        String stream = "MB/s of one stream, " + window() + ", against ";
        if (settings.has(near)) {
            String where = ", " + near.label(settings.netem());
            claims.add(Claim.atLeast(
                    stream + "one connection of iperf3" + where + "; or else the next",
                    "",
                    ofStream(near) / rate(near, Iperf3.LABEL),
                    0.5));
            claims.add(Claim.atLeast(
                    stream + "plain writes to " + settings.work() + where,
                    "",
                    ofStream(near) / rate(near, DiskWrites.LABEL),
                    0.8));
        }
        if (settings.has(far)) {
            claims.add(Claim.atLeast(
                    stream + "one connection of iperf3, " + far.label(settings.netem()),
                    "",
                    ofStream(far) / rate(far, Iperf3.LABEL),
                    0.8));
        }
        return claims;
    }

    /** A line for each figure in which a request failed or a message was lost. */
    List<String> wrong() {
        List<String> lines = new ArrayList<>();
        for (PayloadFigures each : all) {
            if (!each.sound()) {
                lines.add(format(
                        "WRONG: %s, %s: %d acknowledged, %d stored, %d errors %s",
                        each.carrier(),
                        each.cell().label(settings.netem()),
                        each.acknowledged(),
                        each.stored(),
                        each.failed(),
                        each.failure()));
            }
        }
        return lines;
    }
}
