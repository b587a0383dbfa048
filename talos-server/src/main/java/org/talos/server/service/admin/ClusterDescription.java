// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.admin;

import java.util.List;
import java.util.Locale;
import org.talos.server.cluster.ClusterStatus;

/**
 * The servers of the cluster as shown to people. Immutable.
 *
 * @param leader its server's id, empty while there is none
 * @param events the last ones, oldest first
 */
public record ClusterDescription(String leader, List<Server> servers, List<Event> events) {
    /**
     * A server. Immutable.
     *
     * @param address where clients reach it, empty while it is away
     * @param partitions that it owns
     */
    public record Server(String id, String state, String address, long partitions) {}

    /**
     * Something that happened. Immutable.
     *
     * @param atMillis by the clock of who led then, ms since 1970
     */
    public record Event(long atMillis, String text) {}

    static ClusterDescription of(ClusterStatus status) {
        return new ClusterDescription(
                status.leader(),
                status.servers().stream()
                        .map(each -> new Server(
                                each.id(),
                                each.state().name().toLowerCase(Locale.ROOT),
                                each.clientAddress(),
                                each.partitions()))
                        .toList(),
                status.events().stream()
                        .map(each -> new Event(each.atMillis(), each.text()))
                        .toList());
    }
}
