// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import com.codahale.metrics.Snapshot;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/** Adapts an HdrHistogram to the metrics library. Immutable. */
final class HdrSnapshot extends Snapshot {
    private final Histogram histogram;

    /** Takes ownership of the histogram, which must not be changed elsewhere. */
    HdrSnapshot(Histogram histogram) {
        this.histogram = histogram;
    }

    @Override
    public double getValue(double quantile) {
        return histogram.getTotalCount() == 0 ? 0 : histogram.getValueAtPercentile(quantile * 100);
    }

    /** One value of each histogram bucket: the values themselves are not kept. */
    @Override
    public long[] getValues() {
        LongStream.Builder values = LongStream.builder();
        histogram.recordedValues().forEach(each -> values.add(each.getValueIteratedTo()));
        return values.build().toArray();
    }

    @Override
    public int size() {
        return (int) Math.min(Integer.MAX_VALUE, histogram.getTotalCount());
    }

    @Override
    public long getMax() {
        return histogram.getMaxValue();
    }

    @Override
    public double getMean() {
        return histogram.getMean();
    }

    @Override
    public long getMin() {
        return histogram.getTotalCount() == 0 ? 0 : histogram.getMinValue();
    }

    @Override
    public double getStdDev() {
        return histogram.getTotalCount() == 0 ? 0 : histogram.getStdDeviation();
    }

    @Override
    public void dump(OutputStream output) {
        try (PrintWriter out = new PrintWriter(output, false, StandardCharsets.UTF_8)) {
            for (long value : getValues()) {
                out.printf(Locale.ROOT, "%d%n", value);
            }
        }
    }
}
