// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.index;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.SegmentName;

/**
 * Remembers where damage in the segments of a log ends, since readers may come again and again, and would look through
 * the rest of the segment each time. For a minute only: somebody may repair the file.
 *
 * <p>Thread-safe.
 */
public final class DamagedPlaces {
    private static final long KEPT_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int MOST = 1_000;

    private final Ticker ticker;
    private final Map<Place, Remembered> places = new ConcurrentHashMap<>();

    /** Remembers nothing yet. */
    public DamagedPlaces(Ticker ticker) {
        this.ticker = ticker;
    }

    private record Place(SegmentName segment, long position) {}

    private record Remembered(End end, long nanos) {}

    /**
     * Where damage ends. Immutable.
     *
     * @param position of the next whole entry, or the segment's length
     * @param offset of the first message from there on
     */
    public record End(long position, long offset) {}

    /** Returns where the damage at a position of a segment ends, if that was found out within the last minute. */
    public Optional<End> end(SegmentName segment, long position) {
        return Optional.ofNullable(places.get(new Place(segment, position)))
                .filter(found -> ticker.nanos() - found.nanos <= KEPT_NANOS)
                .map(Remembered::end);
    }

    /** Remembers where the damage at a position of a segment ends. */
    public void found(SegmentName segment, long position, End end) {
        if (places.size() >= MOST) {
            places.clear();
        }
        places.put(new Place(segment, position), new Remembered(end, ticker.nanos()));
    }
}
