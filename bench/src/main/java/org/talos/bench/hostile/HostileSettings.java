// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The settings of the hostile benchmark. Immutable.
 *
 * @param attacked how long
 * @param alone how long the peaceful user is measured alone
 * @param warmUp of the server, before
 * @param rate puts a second of the peaceful user
 * @param size bytes of the peaceful user's messages
 * @param partitions of the peaceful user's topic
 * @param filling puts to each partition of the hostile user before anything is measured
 * @param work folder for the server's data
 * @param serverOptions of the server's JVM, besides
 * @param attacks the kinds that are begun
 * @param keyless connections without a key, of all kinds together
 */
record HostileSettings(
        Duration attacked,
        Duration alone,
        Duration warmUp,
        double rate,
        int size,
        int partitions,
        int hostilePartitions,
        int filling,
        Path work,
        List<String> serverOptions,
        List<Attack> attacks,
        int keyless,
        long seed) {
    HostileSettings {
        serverOptions = List.copyOf(serverOptions);
        attacks = List.copyOf(attacks);
    }

    /** Of the server; retention keeps the disk from filling up. All else is as by default. */
    static final Map<String, String> SERVER = Map.of(
            "LOG_SEGMENTBYTES", "16MiB", "LOG_RETENTIONBYTESPERPARTITION", "32MiB", "LOG_RETENTIONINTERVAL", "5s");

    /**
     * Returns the options of the server's JVM, which ends for want of memory as that of {@code bin/talos server}.
     *
     * @param heap as after {@code -Xmx}
     */
    List<String> jvm(String heap) {
        return Stream.concat(Stream.of("-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError"), serverOptions.stream())
                .toList();
    }

    /** For the report, by name. */
    SortedMap<String, String> described(List<String> heaps) {
        SortedMap<String, String> lines = new TreeMap<>();
        lines.put("attacked s", Long.toString(attacked.toSeconds()));
        lines.put("alone s", Long.toString(alone.toSeconds()));
        lines.put("warm-up s", Long.toString(warmUp.toSeconds()));
        lines.put("peaceful puts", rate + " a second, of " + size + " bytes, to " + partitions + " partitions");
        lines.put("hostile partitions", hostilePartitions + ", filled with " + filling + " puts each");
        lines.put("server settings", new TreeMap<>(SERVER).toString());
        lines.put("server options", String.join(" ", jvm(heaps.get(0))));
        lines.put("attacks", attacks.stream().map(Attack::option).collect(Collectors.joining(" ")));
        lines.put("connections without a key", Integer.toString(keyless));
        lines.put("hostile load", "in a process of its own, nice 19");
        lines.put("data", work.toString());
        lines.put("seed", Long.toString(seed));
        return lines;
    }
}
