// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.notBlank;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The port for operators: {@code management}. Immutable.
 *
 * @param enabled whether there is one
 * @param host address to listen on; everyone who can connect to it sees metrics and configuration
 * @param port 0 picks a free one
 * @param maxConnections open connections; beyond it the oldest of the address with the most is closed
 * @param hostNames names beside addresses and localhost that requests may have in {@code Host}, separated by commas
 */
public record ManagementConfig(boolean enabled, String host, int port, int maxConnections, String hostNames) {
    /** Checks every bound. */
    public ManagementConfig {
        notBlank("management.host", host);
        inRange("management.port", port, 0, 65_535);
        inRange("management.maxConnections", maxConnections, 1, 10_000);
    }

    /** The names of {@link #hostNames}, each for itself. */
    public Set<String> names() {
        return Stream.of(hostNames.split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }
}
