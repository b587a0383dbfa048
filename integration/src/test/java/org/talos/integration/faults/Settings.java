// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.faults;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.talos.server.boot.setup.ClusterSetUp;
import org.talos.server.config.load.ConfigLoader;

/**
 * The settings of the servers of these tests: logs in HDFS, and small sizes, so that segments are sealed and journals
 * forgotten in the middle of a fault. Immutable.
 */
record Settings(Map<String, String> values) {
    /** A directory of its own in the file system that the client's files name. */
    static Settings of(Path clientConfig) {
        return new Settings(Map.ofEntries(
                Map.entry("STORAGE_LOGS", "hdfs"),
                Map.entry("HDFS_CONFIGDIRECTORY", clientConfig.toString()),
                Map.entry("HDFS_ROOT", "/faults-" + UUID.randomUUID()),
                Map.entry("HDFS_BLOCKBYTES", "1MiB"),
                Map.entry("LOG_DURABILITY", "flush"),
                Map.entry("LOG_SEGMENTBYTES", "512KiB"),
                Map.entry("LOG_JOURNALFILEBYTES", "1MiB"),
                Map.entry("LOG_MAXUNWRITTENBYTES", "8MiB"),
                Map.entry("LOG_TAILCACHEBYTES", "64KiB"),
                Map.entry("METRICSLOGINTERVAL", "0s")));
    }

    /** Does the work of an administrator once, before the first server starts. */
    Settings prepared() throws Exception {
        var unused = ClusterSetUp.prepare(ConfigLoader.load(environment()));
        return this;
    }

    /** The same but for one. */
    Settings with(String name, String value) {
        Map<String, String> changed = new HashMap<>(values);
        changed.put(name, value);
        return new Settings(Map.copyOf(changed));
    }

    String root() {
        return values.getOrDefault("HDFS_ROOT", "");
    }

    /** As environment variables of a process. */
    Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        values.forEach((name, value) -> environment.put("TALOS_" + name, value));
        return environment;
    }
}
