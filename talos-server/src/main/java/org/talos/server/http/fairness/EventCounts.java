// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.fairness;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts events that cost a server more than its client, such as the resets of HTTP/2 streams, in a leaky bucket for
 * each key: an address, or a user. A new connection does not empty the bucket. A key that has had many connections
 * ended since its bucket was last empty is refused for a while.
 *
 * <p>A bucket that is empty is forgotten. Beyond the bound of keys, the key that was counted longest ago is forgotten.
 *
 * <p>Confined: one call at a time.
 */
final class EventCounts {
    /** Seconds of events at the highest rate that may come at once. */
    static final int BURST_SECONDS = 4;

    /** Connections that end before the key is refused. */
    static final int MOST_ENDED = 8;

    /** Nanoseconds that a key is refused. */
    static final long REFUSED_NANOS = 30_000_000_000L;

    private static final double NANOS_PER_SECOND = 1e9;

    private final double perNano;
    private final double most;
    private final int mostKeys;
    private final Map<Object, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true); // by their latest events

    /** Counts nothing yet. */
    EventCounts(int perSecond, int mostKeys) {
        perNano = perSecond / NANOS_PER_SECOND;
        most = (double) perSecond * BURST_SECONDS;
        this.mostKeys = mostKeys;
    }

    /** The events of one key. Confined: the counts. */
    private final class Bucket {
        private double level;
        private long atNanos;
        private int ended; // connections
        private boolean refused;
        private long refusedAtNanos;

        Bucket(long nowNanos) {
            atNanos = nowNanos;
        }

        void leak(long nowNanos) {
            level = Math.max(0, level - (nowNanos - atNanos) * perNano);
            atNanos = nowNanos;
            refused = refused && nowNanos - refusedAtNanos < REFUSED_NANOS;
        }

        boolean isEmpty() {
            return level == 0 && !refused;
        }
    }

    /** Counts an event of a key. Returns false if there are too many: the connection that brought it must end. */
    boolean count(Object key, long nowNanos) {
        @Nullable Bucket bucket = buckets.get(key);
        if (bucket == null) {
            makeRoom(nowNanos);
            bucket = new Bucket(nowNanos);
            buckets.put(key, bucket);
        }
        bucket.leak(nowNanos);
        bucket.ended = bucket.isEmpty() ? 0 : bucket.ended;
        if (bucket.refused) {
            return false;
        }
        if (bucket.level + 1 <= most) {
            bucket.level++;
            return true;
        }
        bucket.ended++;
        if (bucket.ended > MOST_ENDED) {
            bucket.ended = 0;
            bucket.refused = true;
            bucket.refusedAtNanos = nowNanos;
        }
        return false;
    }

    /** Returns whether a key is refused now. */
    boolean isRefused(Object key, long nowNanos) {
        @Nullable Bucket bucket = buckets.get(key);
        if (bucket == null) {
            return false;
        }
        bucket.leak(nowNanos);
        return bucket.refused;
    }

    /** Forgets the oldest buckets as far as they are empty, and one more if there are too many. */
    private void makeRoom(long nowNanos) {
        Iterator<Bucket> oldest = buckets.values().iterator();
        boolean forgets = true;
        while (forgets && oldest.hasNext()) {
            Bucket bucket = oldest.next();
            bucket.leak(nowNanos);
            forgets = bucket.isEmpty() || buckets.size() >= mostKeys;
            if (forgets) {
                oldest.remove();
            }
        }
    }

    /** Returns the number of known keys. */
    int keys() {
        return buckets.size();
    }
}
