// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A snapshot of a server's {@code /metrics}, read in the text format of Prometheus. Immutable. */
public final class ServerMetrics {
    /** The metrics of a server that cannot be queried: none. */
    public static final ServerMetrics NONE = new ServerMetrics(Map.of());

    private static final String BUCKET = "_bucket";

    private final Map<String, Double> values;

    private ServerMetrics(Map<String, Double> values) {
        this.values = values;
    }

    /** Queries a server's management port. */
    public static ServerMetrics of(URI management) throws IOException {
        try {
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(management.resolve("/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException(management + "/metrics answers " + answer.statusCode());
            }
            return parse(answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The metrics of several servers, each summed over them. */
    static ServerMetrics sum(List<ServerMetrics> servers) {
        Map<String, Double> values = new HashMap<>();
        for (ServerMetrics each : servers) {
            each.values.forEach((key, value) -> values.merge(key, value, Double::sum));
        }
        return new ServerMetrics(values);
    }

    /** Reads a page in the text format of Prometheus. */
    public static ServerMetrics parse(String text) {
        Map<String, Double> values = new HashMap<>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            int space = line.lastIndexOf(' ');
            if (space > 0) {
                values.put(line.substring(0, space), Double.parseDouble(line.substring(space + 1)));
            }
        });
        return new ServerMetrics(values);
    }

    /** A metric with its labels, as the page has it; NaN if it is missing. */
    public double value(String key) {
        return values.getOrDefault(key, Double.NaN);
    }

    /** The counts of a histogram between an earlier snapshot and this one. */
    public Interval since(ServerMetrics earlier, String histogram, String labels) {
        String inner = labels.isEmpty() ? "" : labels + ",";
        String outer = labels.isEmpty() ? "" : "{" + labels + "}";
        TreeMap<Double, Double> buckets = new TreeMap<>();
        String prefix = histogram + BUCKET + "{" + inner + "le=\"";
        values.forEach((key, value) -> {
            if (key.startsWith(prefix)) {
                String bound = key.substring(prefix.length(), key.indexOf('"', prefix.length()));
                double le = bound.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bound);
                buckets.put(le, value - earlier.values.getOrDefault(key, 0.0));
            }
        });
        double sum = value(histogram + "_sum" + outer) - earlier.value(histogram + "_sum" + outer);
        double count = value(histogram + "_count" + outer) - earlier.value(histogram + "_count" + outer);
        return new Interval(buckets, sum, count);
    }

    /**
     * The counts of a histogram over an interval.
     *
     * <p>Immutable.
     *
     * @param buckets counts up to each bound
     */
    public record Interval(TreeMap<Double, Double> buckets, double sum, double count) {
        /** NaN if nothing was counted. */
        public double mean() {
            return sum / count;
        }

        /**
         * The quantile, in the metric's unit, interpolated linearly within its bucket.
         *
         * @return NaN if nothing was counted
         */
        public double quantile(double part) {
            double wanted = part * count;
            double below = 0;
            double from = 0;
            for (Map.Entry<Double, Double> bucket : buckets.entrySet()) {
                if (bucket.getValue() >= wanted && bucket.getValue() > 0) {
                    double inside = bucket.getValue() - below;
                    return Double.isInfinite(bucket.getKey()) || inside == 0
                            ? from
                            : from + (bucket.getKey() - from) * (wanted - below) / inside;
                }
                below = bucket.getValue();
                from = bucket.getKey();
            }
            return Double.NaN;
        }
    }
}
