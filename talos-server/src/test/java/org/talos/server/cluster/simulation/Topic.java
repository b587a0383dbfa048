// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.simulation.ModelLog;
import org.talos.server.simulation.Scheduler;

/** A topic, and what its logs must hold. Confined: the simulation's thread. */
final class Topic {
    final TopicRecord record;
    final List<ModelLog> logs;
    boolean created;
    boolean deleted; // its deletion was asked for

    /** The topic of a number, not created yet. */
    Topic(int number, int partitions, Scheduler.Told told) {
        record = new TopicRecord(
                "t" + number,
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
        logs = World.ids(record).stream()
                .map(each -> new ModelLog(each, false, told))
                .toList();
        if (Faults.isPassedOver(Faults.REPEATED_PUTS)) {
            logs.forEach(ModelLog::mayBeTwice);
        }
    }

    /** Whether it has been created, and is not to be deleted. */
    boolean isThere() {
        return created && !deleted;
    }
}
