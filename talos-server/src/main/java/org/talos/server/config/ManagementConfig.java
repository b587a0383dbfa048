// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.notBlank;

/**
 * The port for operators: {@code management}. Immutable.
 *
 * @param enabled whether there is one
 * @param host address to listen on; all who reach it see metrics and configuration
 * @param port 0 picks a free one
 */
public record ManagementConfig(boolean enabled, String host, int port) {
    /** Checks every bound. */
    public ManagementConfig {
        notBlank("management.host", host);
        inRange("management.port", port, 0, 65_535);
    }
}
