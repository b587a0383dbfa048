// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A distribution of measured storage latencies: quantiles with linear interpolation between them. The files say in
 * their first lines what was measured where.
 *
 * <p>Thread-safe.
 */
final class Delays {
    private static final String HEAD = "quantile,micros";
    private static final double NANOS_PER_MICRO = 1_000;

    private final double[] quantiles;
    private final double[] nanos;

    private Delays(double[] quantiles, double[] nanos) {
        this.quantiles = quantiles;
        this.nanos = nanos;
    }

    /** An hflush of 10 KB with 120 writers, each its own file, on a real HDFS. */
    static Delays hflush() throws IOException {
        return read("hdfs-hflush.csv");
    }

    /** A positional read of 10 KB beside those writers. */
    static Delays read() throws IOException {
        return read("hdfs-read.csv");
    }

    private static Delays read(String resource) throws IOException {
        try (InputStream in = Delays.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException(resource + " is missing in this build");
            }
            return of(
                    new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
                            .lines()
                            .toList(),
                    resource);
        }
    }

    static Delays of(List<String> lines, String name) throws IOException {
        List<double[]> points = new ArrayList<>();
        for (String line : lines) {
            if (!line.startsWith("#") && !line.equals(HEAD)) {
                points.add(point(line, name));
            }
        }
        if (points.size() < 2 || points.get(0)[0] != 0 || points.get(points.size() - 1)[0] != 1) {
            throw new IOException(name + " has no quantiles from 0 to 1");
        }
        for (int i = 1; i < points.size(); i++) {
            if (points.get(i)[0] <= points.get(i - 1)[0] || points.get(i)[1] < points.get(i - 1)[1]) {
                throw new IOException(name + " has quantiles that do not rise, at " + points.get(i)[0]);
            }
        }
        return new Delays(
                points.stream().mapToDouble(point -> point[0]).toArray(),
                points.stream().mapToDouble(point -> point[1] * NANOS_PER_MICRO).toArray());
    }

    private static double[] point(String line, String name) throws IOException {
        String[] cells = line.split(",", -1);
        try {
            return new double[] {Double.parseDouble(cells[0]), Double.parseDouble(cells[1])};
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new IOException(name + " has a line that is no quantile: " + line, e);
        }
    }

    /** The quantile of this distribution. */
    long nanosAt(double quantile) {
        int above = 1;
        while (quantiles[above] < quantile) {
            above++;
        }
        double part = (quantile - quantiles[above - 1]) / (quantiles[above] - quantiles[above - 1]);
        return (long) (nanos[above - 1] + part * (nanos[above] - nanos[above - 1]));
    }

    /** Returns these delays multiplied by a factor. */
    Delays times(double factor) {
        return new Delays(
                quantiles, Arrays.stream(nanos).map(each -> each * factor).toArray());
    }

    /** Draws the delay of one call at random. */
    long draw() {
        return nanosAt(ThreadLocalRandom.current().nextDouble());
    }

    double meanMillis() {
        double sum = 0;
        for (int i = 1; i < quantiles.length; i++) {
            sum += (quantiles[i] - quantiles[i - 1]) * (nanos[i] + nanos[i - 1]) / 2;
        }
        return sum / 1e6;
    }
}
