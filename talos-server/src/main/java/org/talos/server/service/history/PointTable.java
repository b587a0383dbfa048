// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The points of an hour of some figures, in arrays that are created once: {@value #POINTS} numbers of 8 bytes a figure.
 *
 * <p>Thread-safe.
 */
final class PointTable {
    static final int POINTS = 720;
    static final Duration STEP = Duration.ofSeconds(5);

    private final List<String> names;

    @GuardedBy("this")
    private final double[][] values;

    @GuardedBy("this")
    private long first = -1; // steps since the clock's zero

    @GuardedBy("this")
    private long last = -1;

    @GuardedBy("this")
    private long lastMillis;

    PointTable(Collection<String> names) {
        this.names = List.copyOf(names);
        values = new double[names.size()][POINTS];
    }

    /** Returns the step that an instant is in. */
    static long stepOf(long nanos) {
        return Math.floorDiv(nanos, STEP.toNanos());
    }

    /**
     * Adds the points of a step. Steps since the last one are unknown; an existing step stays.
     *
     * @param atMillis ms since 1970
     * @param point a number for each name, NaN for an unknown one
     */
    synchronized void add(long step, long atMillis, double... point) {
        if (first >= 0 && step <= last) {
            return;
        }
        if (first < 0) {
            first = step;
        } else {
            for (long missed = Math.max(last + 1, step - POINTS); missed < step; missed++) {
                set(missed, Double.NaN);
            }
        }
        for (int figure = 0; figure < values.length; figure++) {
            values[figure][index(step)] = point[figure];
        }
        last = step;
        lastMillis = atMillis;
    }

    @GuardedBy("this")
    private void set(long step, double value) {
        for (double[] figure : values) {
            figure[index(step)] = value;
        }
    }

    private static int index(long step) {
        return (int) Math.floorMod(step, (long) POINTS);
    }

    /**
     * Returns the wanted figures.
     *
     * @param nowMillis the end of a table without points
     */
    synchronized History read(Collection<String> wanted, long nowMillis) {
        int count = first < 0 ? 0 : (int) Math.min(POINTS, last - first + 1);
        SortedMap<String, double[]> figures = new TreeMap<>();
        for (String name : wanted) {
            double[] of = new double[count];
            double[] from = values[names.indexOf(name)];
            for (int i = 0; i < count; i++) {
                of[i] = from[index(last - count + 1 + i)];
            }
            figures.put(name, of);
        }
        return new History(STEP, count == 0 ? nowMillis : lastMillis, figures);
    }

    /** Returns a point of which nothing is known. */
    double[] nothing() {
        double[] point = new double[names.size()];
        Arrays.fill(point, Double.NaN);
        return point;
    }
}
