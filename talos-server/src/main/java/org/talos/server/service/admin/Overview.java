// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.admin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import org.talos.server.metrics.OperationMetrics;

/**
 * How a server is. Immutable.
 *
 * @param startedMillis ms since 1970
 * @param ready whether it can do its work now
 * @param details empty unless the caller is an administrator
 */
public record Overview(String version, long startedMillis, Duration uptime, boolean ready, Optional<Details> details) {
    /**
     * The settings of a server. Immutable.
     *
     * @param server its id; empty if it is not one of several
     */
    public record Settings(Optional<String> server, List<Setting> all) {
        public Settings {
            all = List.copyOf(all);
        }
    }

    /**
     * A setting. Immutable.
     *
     * @param value as the server has read it; a secret is masked
     * @param usual the default on this machine; empty if there is none
     */
    public record Setting(String key, String value, String usual, boolean isChanged) {}

    /**
     * The details that concern all users. Immutable.
     *
     * @param server its id; empty if it is not one of several
     * @param checks each with why it fails
     * @param warnings by name
     * @param partitions number in each state
     * @param storedBytes of the messages that it serves; empty if it is not known yet
     * @param freeBytes of its disk; empty if it keeps nothing there
     * @param events the latest, oldest first
     */
    public record Details(
            Optional<String> server,
            SortedMap<String, Optional<String>> checks,
            SortedMap<String, String> warnings,
            SortedMap<String, Long> partitions,
            OptionalLong storedBytes,
            OptionalLong freeBytes,
            List<ClusterDescription.Event> events,
            List<OperationMetrics.OfOperation> capacity,
            int processors) {}
}
