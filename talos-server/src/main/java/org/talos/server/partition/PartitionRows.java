// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.partition.PartitionRecord;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.partition.SegmentRecord;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentRows;
import org.talos.server.storage.StorageException;

/**
 * Decides by the partitions' rows which segments must exist. If a row cannot be read, all of its partition's must: the
 * partition is not served, and none of its data may be lost until it can be read.
 *
 * <p>Confined: the thread that starts the server.
 */
public final class PartitionRows implements SegmentRows {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionRows.class);

    private final Partitions partitions;

    /** Asks these rows. */
    public PartitionRows(Partitions partitions) {
        this.partitions = partitions;
    }

    @Override
    public boolean haveMade(SegmentName name) throws StorageException {
        try {
            Optional<PartitionRecord> row = partitions
                    .find(name.log().topicId(), name.log().partition())
                    .map(Versioned::value);
            return row.isPresent()
                    && row.get().segments().stream()
                            .anyMatch(each -> each.state() != SegmentRecord.State.PLANNED
                                    && each.baseOffset() == name.baseOffset()
                                    && each.epoch() == name.epoch());
        } catch (MetadataException e) {
            if (e.reason() != Reason.CORRUPT && e.reason() != Reason.UNKNOWN_FORMAT) {
                throw new StorageException(
                        StorageException.Reason.UNAVAILABLE,
                        Effect.NONE,
                        "whether segment " + name + " was deleted is not known: " + e.getMessage(),
                        e);
            }
            LOG.warn("row unreadable, keeping its segments partition={}", name.log(), e);
            return true;
        }
    }
}
