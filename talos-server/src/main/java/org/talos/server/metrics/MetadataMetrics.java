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
import java.util.function.LongSupplier;

/** The metrics of the metadata store. Thread-safe. */
public final class MetadataMetrics {
    private final Map<StoreCall, Histogram> times;
    private final Map<Failed, Counter> failures;
    private final Map<Settled, Counter> settled;

    /** The kinds of calls. */
    public enum StoreCall {
        GET,
        SCAN,
        SET,
        DELETE
    }

    /** Why a call failed. */
    public enum Failed {
        BUSY,
        UNAVAILABLE,
        FULL,
        CORRUPT,
        UNKNOWN_FORMAT
    }

    /** The outcome of a write whose answer was lost. */
    public enum Settled {
        /** It was carried out. */
        WRITTEN,
        /** It was not carried out, and was attempted again. */
        REPEATED,
        /** It can no longer succeed, since another writer was faster. */
        LOST,
        /** Not known, since the row was written several times since. */
        UNKNOWN
    }

    /** Registers the metrics. */
    public MetadataMetrics(Metrics metrics) {
        times = of(
                StoreCall.class,
                "call",
                label -> metrics.histogram(
                        "talos_metadata_call_seconds",
                        label,
                        Unit.SECONDS,
                        "A call of the metadata store, failed or not."));
        failures = of(
                Failed.class,
                "reason",
                label -> metrics.counter(
                        "talos_metadata_failed_total", label, "Calls of the metadata store that failed, by reason."));
        settled = of(
                Settled.class,
                "as",
                label -> metrics.counter(
                        "talos_metadata_settled_total",
                        label,
                        "Writes to HBase whose answer was lost, by their outcome."));
    }

    private static <K extends Enum<K>, M> Map<K, M> of(Class<K> type, String label, Function<String, M> metric) {
        Map<K, M> all = new EnumMap<>(type);
        for (K each : type.getEnumConstants()) {
            all.put(each, metric.apply(label + "=\"" + each.name().toLowerCase(Locale.ROOT) + "\""));
        }
        return Collections.unmodifiableMap(all);
    }

    /** Exports the number of unreadable cached rows, of a server that refreshes its caches. */
    public static void watchCaches(Metrics metrics, LongSupplier unreadableRows) {
        metrics.gauge(
                "talos_metadata_unreadable_rows",
                "",
                "Rows of users, topics and quotas that could not be read at the last refresh of the caches; those cached"
                        + " before stay.",
                unreadableRows);
    }

    /** Records a call's duration. */
    public void called(StoreCall call, long nanos) {
        Objects.requireNonNull(times.get(call)).update(nanos);
    }

    /** Counts a failed call. */
    public void failed(Failed why) {
        Objects.requireNonNull(failures.get(why)).inc();
    }

    /** Counts a write whose answer was lost. */
    public void settled(Settled as) {
        Objects.requireNonNull(settled.get(as)).inc();
    }
}
