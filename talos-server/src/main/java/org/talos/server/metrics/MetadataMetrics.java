// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** What the store of the metadata measures. Thread-safe. */
public final class MetadataMetrics {
    private final Map<Call, Histogram> times;
    private final Map<Failed, Counter> failures;
    private final Map<Settled, Counter> settled;

    /** What the store is asked for. */
    public enum Call {
        GET,
        SCAN,
        SET,
        DELETE
    }

    /** Why a call failed. */
    public enum Failed {
        BUSY,
        UNAVAILABLE,
        CORRUPT,
        UNKNOWN_FORMAT
    }

    /** What has become of a write whose answer was lost. */
    public enum Settled {
        /** It had happened. */
        WRITTEN,
        /** It had not, and was attempted again. */
        REPEATED,
        /** It never will, since somebody else's has happened. */
        LOST,
        /** Too much has happened since. */
        UNKNOWN
    }

    /** The store's metrics. */
    public MetadataMetrics(Metrics metrics) {
        times = of(
                Call.class,
                "call",
                label -> metrics.histogram(
                        "talos_metadata_call_seconds",
                        label,
                        Unit.SECONDS,
                        "A call of the metadata's store, failed or not."));
        failures = of(
                Failed.class,
                "reason",
                label -> metrics.counter(
                        "talos_metadata_failed_total", label, "Calls of the metadata's store that failed, by reason."));
        settled = of(
                Settled.class,
                "as",
                label -> metrics.counter(
                        "talos_metadata_settled_total",
                        label,
                        "Writes to HBase whose answer was lost, by what the row says."));
    }

    private static <K extends Enum<K>, M> Map<K, M> of(Class<K> type, String label, Function<String, M> metric) {
        Map<K, M> all = new EnumMap<>(type);
        for (K each : type.getEnumConstants()) {
            all.put(each, metric.apply(label + "=\"" + each.name().toLowerCase(Locale.ROOT) + "\""));
        }
        return Collections.unmodifiableMap(all);
    }

    /** A call has taken so long. */
    public void called(Call call, long nanos) {
        Objects.requireNonNull(times.get(call)).update(nanos);
    }

    /** A call has failed. */
    public void failed(Failed why) {
        Objects.requireNonNull(failures.get(why)).inc();
    }

    /** A write's answer was lost, and this was found. */
    public void settled(Settled as) {
        Objects.requireNonNull(settled.get(as)).inc();
    }
}
