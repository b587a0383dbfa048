// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** The metrics of requests refused for a quota. Thread-safe. */
public final class QuotaMetrics {
    private final Map<Scope, Counter> refused = new EnumMap<>(Scope.class);

    /** The holder of a quota. */
    public enum Scope {
        SERVER,
        USER,
        TOPIC,
        SPACE
    }

    /** Registers the metrics. */
    public QuotaMetrics(Metrics metrics) {
        for (Scope each : Scope.values()) {
            refused.put(
                    each,
                    metrics.counter(
                            "talos_quota_refused_total",
                            "of=\"" + each.name().toLowerCase(Locale.ROOT) + "\"",
                            "Requests refused for a quota, by the quota's holder."));
        }
    }

    /** Counts a refused request. */
    public void refused(Scope of) {
        Counter counter = refused.get(of);
        if (counter != null) {
            counter.inc();
        }
    }
}
