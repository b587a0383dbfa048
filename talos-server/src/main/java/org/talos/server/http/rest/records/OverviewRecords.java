// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Inlined;
import org.talos.server.http.rest.description.Schema;

/** The state of a server, and figures over time. Immutable. */
public final class OverviewRecords {
    private OverviewRecords() {}

    /** A check of readiness. Immutable. */
    public record Check(
            String name,
            boolean ok,
            @Described("Why it fails.") Optional<String> reason) {}

    /** A warning for operators. Immutable. */
    public record Warning(String name, String text) {}

    /** The storage of a server. Immutable. */
    public record Storage(
            @Described("Of the messages that this server serves; missing until that has been measured.")
            OptionalLong usedBytes,

            @Described("Of this machine's disk; missing if it keeps no messages there.")
            OptionalLong freeBytes) {}

    /** An event of a server. Immutable. */
    public record Event(Instant at, String text) {}

    /** The cost of an operation, and its capacity. Immutable. */
    public record Capacity(
            @Described(words = {"put", "get", "other"}) String operation,
            @Described("Of the last minute.") long requests,
            @Described("Response time.") OptionalDouble meanMillis,

            @Described("Processor time, its share of the process's included.")
            OptionalDouble cpuMillis,

            @Described("The rest of the response time.") OptionalDouble waitMillis,

            @Described("meanMillis / cpuMillis x processors x utilisation.")
            OptionalDouble bestThreads,

            @Described("processors x utilisation / cpuMillis.")
            OptionalDouble mostPerSecond) {}

    /** The details of a server, for administrators. Immutable. */
    public record Details(
            @Described("The server's id; missing if it is not one of several.")
            Optional<String> server,

            @Described("What readiness is made of.") List<Check> checks,

            @Described("What an operator should know of a server that is ready all the same.")
            List<Warning> warnings,

            @Described("How many of its partitions are in each state.")
            Map<String, Long> partitions,

            Storage storage,
            @Described("The recent events, oldest first.") List<Event> events,

            @Described("By operation, of the last minute; without the figures that need at least 100 requests.")
            List<Capacity> capacity,

            int processors,

            @Described("That capacity is computed for, 0 to 1.")
            double utilisation) {}

    /** A server as it is now. Immutable. */
    @Schema(closed = true)
    @Described("What is not required is for administrators.")
    public record Overview(
            String version,
            Instant startedAt,
            long uptimeSeconds,
            @Described("Whether it can do its work now.") boolean ready,
            @Inlined Optional<Details> details) {}

    /** A key of the configuration. Immutable. */
    public record Setting(
            String key,

            @Described("As the server has read it; a secret is ***.")
            String value,

            @Described("The default on this machine.") String usual,
            boolean changed) {}

    /** The settings of a server. Immutable. */
    @Schema(closed = true)
    @Described("They change with the next start of the server.")
    public record Settings(
            @Described("Its id; missing if it is the only one.")
            Optional<String> server,

            List<Setting> settings) {}

    /** Figures over time. Immutable. */
    @Schema(closed = true)
    public record History(
            long stepSeconds,
            @Described("Of the last point.") Instant end,

            @Described("By name; all of one length, 720 at most; null where a figure was not known.")
            Map<String, List<Optional<Number>>> figures) {}
}
