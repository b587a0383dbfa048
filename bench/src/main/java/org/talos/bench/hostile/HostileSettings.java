// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.talos.bench.engine.ServerSetup;

/** The settings of the hostile benchmark. Immutable. */
record HostileSettings(Times times, PeacefulUser peaceful, HostileUser hostile, ServerSetup setup, long seed) {
    /**
     * The times of a run. Immutable.
     *
     * @param attacked how long
     * @param alone how long the peaceful user is measured alone
     * @param warmUp of the server, before
     */
    record Times(Duration attacked, Duration alone, Duration warmUp) {}

    /**
     * The user whose puts are measured. Immutable.
     *
     * @param rate puts a second
     * @param size bytes of a message
     * @param partitions of the user's topic
     */
    record PeacefulUser(double rate, int size, int partitions) {}

    /**
     * The user who attacks. Immutable.
     *
     * @param partitions of the user's topic
     * @param filling puts to each of them before anything is measured
     * @param attacks the kinds that are begun
     * @param keyless connections without a key, of all kinds together
     */
    record HostileUser(int partitions, int filling, List<Attack> attacks, int keyless) {
        HostileUser {
            attacks = List.copyOf(attacks);
        }
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
        return Stream.concat(Stream.of("-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError"), setup.options().stream())
                .toList();
    }

    /** Returns these settings with one attack. */
    HostileSettings with(Attack attack) {
        HostileUser user = new HostileUser(hostile.partitions, hostile.filling, List.of(attack), hostile.keyless);
        return new HostileSettings(times, peaceful, user, setup, seed);
    }

    /** For the report, by name. */
    SortedMap<String, String> described(List<String> heaps) {
        SortedMap<String, String> lines = new TreeMap<>();
        lines.put("attacked s", Long.toString(times.attacked.toSeconds()));
        lines.put("alone s", Long.toString(times.alone.toSeconds()));
        lines.put("warm-up s", Long.toString(times.warmUp.toSeconds()));
        lines.put(
                "peaceful puts",
                peaceful.rate + " a second, of " + peaceful.size + " bytes, to " + peaceful.partitions + " partitions");
        lines.put("hostile partitions", hostile.partitions + ", filled with " + hostile.filling + " puts each");
        lines.put("server settings", new TreeMap<>(SERVER).toString());
        lines.put("server options", String.join(" ", jvm(heaps.get(0))));
        lines.put("attacks", hostile.attacks.stream().map(Attack::option).collect(Collectors.joining(" ")));
        lines.put("connections without a key", Integer.toString(hostile.keyless));
        lines.put("hostile load", "in a process of its own, nice 19");
        lines.put("data", setup.work().toString());
        lines.put("seed", Long.toString(seed));
        return lines;
    }
}
