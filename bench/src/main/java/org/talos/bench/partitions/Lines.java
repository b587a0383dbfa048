// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.util.Locale;

/** Hears what was measured, a line each. */
@FunctionalInterface
interface Lines {
    /** Takes a line as it is printed. */
    void line(String text) throws IOException;

    /** A line that begins with what it is about. */
    default void line(String about, String format, Object... values) throws IOException {
        line(format("%-16s ", about) + String.format(Locale.ROOT, format, values));
    }

    /** A line that says how long it took. */
    default void seconds(String about, long sinceNanos, String what) throws IOException {
        line(about, "%.1f s %s", seconds(sinceNanos), what);
    }

    /** The seconds since then. */
    static double seconds(long sinceNanos) {
        return (System.nanoTime() - sinceNanos) / 1e9;
    }
}
