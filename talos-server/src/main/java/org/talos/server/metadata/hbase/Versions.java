// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.InstantSource;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;

/**
 * Generates the row versions of one opening of the store: each is unique and above the one that it replaces, whatever
 * the servers' clocks say. A Lamport clock that follows the wall clock, with the opening's number as the lower bits:
 *
 * <pre>
 * time     46 bits  sixteenths of a millisecond since 1970, or more if the last version or the replaced one had more
 * session  17 bits  the opening's number in the table; it repeats after 131,072 openings, at another time
 * </pre>
 *
 * <p>The wall clock is needed for one case only: a row whose deletion mark is gone, and which is created again.
 *
 * <p>Thread-safe.
 */
final class Versions {
    private static final int SESSION_BITS = 17;
    private static final int TIME_BITS = Long.SIZE - 1 - SESSION_BITS;
    private static final int TICK_BITS = 4; // 16,000 writes a second before time runs ahead of the clock

    private final InstantSource clock;
    private final long session;

    @GuardedBy("this")
    private long last;

    Versions(InstantSource clock, long session) {
        this.clock = clock;
        this.session = session & ((1L << SESSION_BITS) - 1);
    }

    /** A version above {@code replaced}. */
    synchronized long above(long replaced) throws MetadataException {
        long time = Math.max(clock.millis() << TICK_BITS, Math.max(last, replaced >>> SESSION_BITS) + 1);
        if (time >= 1L << TIME_BITS) {
            throw new MetadataException(
                    Reason.UNAVAILABLE, Effect.NONE, "a server's clock is, or was, beyond the year 2100");
        }
        last = time;
        return time << SESSION_BITS | session;
    }
}
