// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.talos.server.cluster.PartitionTraffic;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;

/**
 * Measures the put rate of each partition that this server serves.
 *
 * <p>Confined: one background thread at a time.
 */
public final class TrafficMeter {
    private final Ticker ticker;
    private Map<LogId, Long> before = Map.of();
    private long measuredAt;

    public TrafficMeter(Ticker ticker) {
        this.ticker = ticker;
        measuredAt = ticker.nanos();
    }

    /**
     * Returns the traffic since the last call.
     *
     * @param now bytes received since each partition was opened; fewer than before if it was opened again
     */
    public List<PartitionTraffic> measure(Map<LogId, Long> now) {
        long at = ticker.nanos();
        long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(at - measuredAt));
        List<PartitionTraffic> traffic = new ArrayList<>();
        now.forEach((id, bytes) -> {
            long earlier = before.getOrDefault(id, 0L);
            long taken = bytes >= earlier ? bytes - earlier : bytes;
            traffic.add(new PartitionTraffic(id.topicId(), id.partition(), taken * 1_000 / millis));
        });
        before = Map.copyOf(now);
        measuredAt = at;
        return traffic;
    }
}
