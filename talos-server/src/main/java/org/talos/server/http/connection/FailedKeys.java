// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.time.Ticker;

/**
 * Counts the wrong credentials of each address in a leaky bucket. Of addresses beyond the bound, the one that failed
 * longest ago is forgotten.
 *
 * <p>Thread-safe.
 */
public final class FailedKeys {
    private static final Duration SPAN = Duration.ofMinutes(1);

    private final int max;
    private final int maxAddresses;
    private final Ticker ticker;
    /** The buckets in the order of their latest failures. */
    @GuardedBy("this")
    private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true);

    /** Failures at a time. Immutable. */
    private record Bucket(double failures, long atNanos) {}

    /**
     * Creates counts of no failure.
     *
     * @param maxAddresses the most addresses that are remembered
     */
    public FailedKeys(int perMinute, int maxAddresses, Ticker ticker) {
        max = perMinute;
        this.maxAddresses = maxAddresses;
        this.ticker = ticker;
    }

    /** Counts a failure of the address; false if it has failed more often than is allowed. */
    public synchronized boolean failed(String address) {
        double failures = failures(buckets.get(address)) + 1;
        // No more than the bound: an address that stops failing is let in again after one leak, not after a day.
        buckets.put(address, new Bucket(Math.min(failures, max), ticker.nanos()));
        if (buckets.size() > maxAddresses) {
            buckets.remove(buckets.keySet().iterator().next());
        }
        return failures <= max;
    }

    /** Returns the seconds until one more failure of an address that has failed too often is allowed, rounded up. */
    public int secondsUntilNext() {
        return (int) ((SPAN.toSeconds() + max - 1) / max);
    }

    private double failures(@Nullable Bucket bucket) {
        if (bucket == null) {
            return 0;
        }
        double leaked = (double) (ticker.nanos() - bucket.atNanos) / SPAN.toNanos() * max;
        return Math.max(0, bucket.failures - leaked);
    }

    synchronized int addresses() {
        return buckets.size();
    }
}
