// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.matches;

import java.time.Duration;

/**
 * Metadata in HBase: {@code hbase}. Read only if {@code storage.metadata} says so. Immutable.
 *
 * @param configDirectory folder with the cluster's hbase-site.xml
 * @param table its name, with a namespace before a colon if it is not in the default one
 * @param timeout of a call, with all its attempts
 * @param cacheAge interval at which cached rows are refreshed, since other servers change them too
 */
public record HBaseConfig(String configDirectory, String table, Duration timeout, Duration cacheAge) {
    private static final String TABLE = "(\\w+:)?\\w[\\w.-]*"; // as HBase itself has it

    /** Checks every bound. */
    public HBaseConfig {
        matches("hbase.table", table, TABLE, "a table's name such as talos or namespace:talos");
        inRange("hbase.timeout", timeout, Duration.ofMillis(100), Duration.ofMinutes(10));
        inRange("hbase.cacheAge", cacheAge, Duration.ofSeconds(1), Duration.ofHours(1));
    }
}
