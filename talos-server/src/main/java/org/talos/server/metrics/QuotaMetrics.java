// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** What was refused because somebody used too much. Thread-safe. */
public final class QuotaMetrics {
    private final Map<Of, Counter> refused = new EnumMap<>(Of.class);

    /** Whose bound it was. */
    public enum Of {
        SERVER,
        USER,
        TOPIC,
        SPACE
    }

    /** The quotas' metrics. */
    public QuotaMetrics(Metrics metrics) {
        for (Of each : Of.values()) {
            refused.put(
                    each,
                    metrics.counter(
                            "talos_quota_refused_total",
                            "of=\"" + each.name().toLowerCase(Locale.ROOT) + "\"",
                            "Requests refused for a quota, by whose it was."));
        }
    }

    /** A request was refused. */
    public void refused(Of of) {
        Counter counter = refused.get(of);
        if (counter != null) {
            counter.inc();
        }
    }
}
