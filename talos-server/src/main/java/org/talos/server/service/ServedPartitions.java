// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.ArrayList;
import java.util.List;
import org.talos.common.error.TalosException;
import org.talos.server.log.PartitionLog;
import org.talos.server.metadata.DeletedTopic;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.TopicRecord;
import org.talos.server.partition.PartitionManager;
import org.talos.server.storage.LogId;
import org.talos.server.storage.StorageException;
import org.talos.thrift.ErrorCode;

/** The partitions of this server, as the calls about topics need them. Thread-safe; all but figures block. */
final class ServedPartitions implements TopicPartitions {
    private final PartitionManager partitions;

    ServedPartitions(PartitionManager partitions) {
        this.partitions = partitions;
    }

    @Override
    public void open(TopicRecord topic) {
        List<LogId> ids = new ArrayList<>();
        for (int number = 0; number < topic.partitions(); number++) {
            ids.add(new LogId(topic.topicId(), number));
        }
        partitions.open(ids);
        for (LogId id : ids) {
            long unused = partitions.partition(id).log().startOffset(); // throws if it does not serve
        }
    }

    @Override
    public void delete(DeletedTopic topic) {
        try {
            partitions.delete(topic.topicId(), topic.partitions());
        } catch (StorageException e) {
            throw new TalosException(ErrorCode.HDFS_OPERATION_FAILED, e.effect(), "storage failed", e);
        } catch (MetadataException e) {
            throw Failures.of(e);
        }
    }

    /** Bytes that were put and have expired are not counted any more: nobody keeps that number. */
    @Override
    public PartitionFigures figures(String topicId, int partition) {
        PartitionLog log = partitions.partition(new LogId(topicId, partition)).log();
        long start = log.startOffset();
        long end = log.durableEnd();
        long bytes = log.bytes();
        return new PartitionFigures(start, end, end - start, bytes, end, bytes);
    }
}
