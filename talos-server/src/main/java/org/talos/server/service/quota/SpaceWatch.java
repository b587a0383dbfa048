// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.quota;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.talos.common.error.TalosException;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.quota.QuotaRecord;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.TopicPartitions;
import org.talos.thrift.ErrorCode;

/**
 * Finds the topics that have used up their space or their owners'. Between two runs a topic may grow beyond it.
 *
 * <p>Thread-safe; {@link #refresh} is for one thread at a time.
 */
public final class SpaceWatch {
    private final TopicDirectory directory;
    private final Quotas quotas;
    private final TopicPartitions partitions;
    private final QuotaGate gate;

    public SpaceWatch(TopicDirectory directory, Quotas quotas, TopicPartitions partitions, QuotaGate gate) {
        this.directory = directory;
        this.quotas = quotas;
        this.partitions = partitions;
        this.gate = gate;
    }

    /** Returns the topics whose space has a bound, their own or their owner's. */
    public List<TopicRecord> bounded() {
        return directory.all().stream()
                .filter(topic -> isBounded(own(topic)) || isBounded(owners(topic)))
                .toList();
    }

    private long own(TopicRecord topic) {
        return space(quotas.ofTopic(topic.topicId()));
    }

    private long owners(TopicRecord topic) {
        return space(quotas.ofUser(topic.owner()));
    }

    private static long space(Optional<QuotaRecord> quota) {
        return quota.map(QuotaRecord::spaceBytes).orElse((long) QuotaRecord.UNBOUNDED);
    }

    private static boolean isBounded(long space) {
        return space != QuotaRecord.UNBOUNDED;
    }

    /** Measures those, and hands the full ones to the gate. */
    public void refresh() {
        gate.sweep();
        Map<String, Long> usedByOwner = new HashMap<>();
        Set<String> full = new HashSet<>();
        for (TopicRecord topic : bounded()) {
            long own = own(topic);
            long owners = owners(topic);
            if ((isBounded(own) && used(topic) >= own)
                    || (isBounded(owners) && usedByOwner.computeIfAbsent(topic.owner(), this::usedByOwner) >= owners)) {
                full.add(topic.topicId());
            }
        }
        gate.full(full);
    }

    long usedByOwner(String owner) {
        return directory.all().stream()
                .filter(topic -> topic.owner().equals(owner))
                .mapToLong(this::used)
                .sum();
    }

    long used(TopicRecord topic) {
        long used = 0;
        for (int number = 0; number < topic.partitions(); number++) {
            used += used(topic.topicId(), number);
        }
        return used;
    }

    /** Returns the bytes of a partition; 0 while it is not served: it takes no puts then. */
    private long used(String topicId, int partition) {
        try {
            return partitions.figures(topicId, partition).bytes();
        } catch (TalosException e) {
            if (e.code() == ErrorCode.PARTITION_NOT_SERVING) {
                return 0;
            }
            throw e;
        }
    }
}
