// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth.quota;

import org.jspecify.annotations.Nullable;
import org.talos.server.metadata.rows.quota.QuotaRecord;

/**
 * The requests that have passed one subject's quota: the server's, a user's or a topic's.
 *
 * <p>Thread-safe.
 */
final class Rates {
    private final QuotaRecord quota;
    private final @Nullable TokenBucket putCalls;
    private final @Nullable TokenBucket getCalls;
    private final @Nullable TokenBucket putBytes;
    private final @Nullable TokenBucket getBytes;
    private final PassedCounts passed;

    Rates(QuotaRecord quota, long nowNanos) {
        this.quota = quota;
        putCalls = bucket(quota.putCalls(), nowNanos);
        getCalls = bucket(quota.getCalls(), nowNanos);
        putBytes = bucket(quota.putBytes(), nowNanos);
        getBytes = bucket(quota.getBytes(), nowNanos);
        passed = new PassedCounts(nowNanos);
    }

    private static @Nullable TokenBucket bucket(long perSecond, long nowNanos) {
        return perSecond < 0 ? null : new TokenBucket(perSecond, nowNanos);
    }

    /** Returns whether these are still the rates of the quota. */
    boolean isOf(QuotaRecord now) {
        return quota.equals(now);
    }

    /** Nanoseconds until a put may pass. */
    long putWait(long nowNanos) {
        return Math.max(wait(putCalls, nowNanos), wait(putBytes, nowNanos));
    }

    /** Nanoseconds until a get may pass. */
    long getWait(long nowNanos) {
        return Math.max(wait(getCalls, nowNanos), wait(getBytes, nowNanos));
    }

    void put(long bytes, long nowNanos) {
        take(putCalls, 1, nowNanos);
        take(putBytes, bytes, nowNanos);
        passed.put(bytes);
    }

    void get(long nowNanos) {
        take(getCalls, 1, nowNanos);
        passed.get();
    }

    void got(long bytes, long nowNanos) {
        take(getBytes, bytes, nowNanos);
        passed.got(bytes);
    }

    /** Returns the counts of passed requests. */
    PassedCounts passed() {
        return passed;
    }

    private static long wait(@Nullable TokenBucket bucket, long nowNanos) {
        return bucket == null ? 0 : bucket.waitNanos(nowNanos);
    }

    private static void take(@Nullable TokenBucket bucket, long amount, long nowNanos) {
        if (bucket != null) {
            bucket.take(amount, nowNanos);
        }
    }
}
