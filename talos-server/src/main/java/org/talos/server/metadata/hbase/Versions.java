// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.InstantSource;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;

/**
 * Makes the versions of one opening of the store: never one twice, each above the one that it replaces, whatever the
 * clocks of the servers say. They are Lamport's clock, kept near the wall clock, with the opening's number as the lower
 * bits:
 *
 * <pre>
 * time     46 bits  sixteenths of a millisecond since 1970, or more if the last version or the replaced one had more
 * session  17 bits  the opening's number in the table; it comes round after 131,072 openings, at another time
 * </pre>
 *
 * <p>The wall clock is needed for one case only: a row that was deleted so long ago that its mark is gone, and is made
 * again.
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
