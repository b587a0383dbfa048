// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.simulation.ModelLog;
import org.talos.server.simulation.Scheduler;
import org.talos.server.storage.LogId;

/** A topic, and what its logs must hold. Confined: the simulation's thread. */
final class Topic {
    final TopicRecord record; // as it was made
    boolean created;
    boolean deleted; // its deletion was asked for
    private final List<ModelLog> logs = new ArrayList<>();
    private final Scheduler.Observer observer;

    /** The topic of a number, not created yet. */
    Topic(int number, String name, int partitions, Scheduler.Observer observer) {
        this.observer = observer;
        record = new TopicRecord(
                name,
                String.format(Locale.ROOT, "%032x", number),
                "owner",
                partitions,
                partitions,
                3_600,
                Map.of(),
                Map.of(),
                0,
                0,
                null,
                null,
                List.of());
        grow(partitions);
    }

    /** Sets the number of its partitions. */
    void grow(int partitions) {
        while (logs.size() < partitions) {
            ModelLog log = new ModelLog(new LogId(record.topicId(), logs.size()), false, observer);
            if (Faults.isPassedOver(Faults.REPEATED_PUTS)) {
                log.mayBeTwice();
            }
            logs.add(log);
        }
    }

    /** The logs of all partitions that are known to exist. */
    List<ModelLog> logs() {
        return List.copyOf(logs);
    }

    List<LogId> ids() {
        return LogId.all(record.topicId(), logs.size());
    }

    /** Returns whether it has been created, and is not to be deleted. */
    boolean isThere() {
        return created && !deleted;
    }

    @Override
    public String toString() {
        return record.name() + " " + record.topicId().substring(24);
    }
}
