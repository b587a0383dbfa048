// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Inlined;
import org.talos.server.http.rest.description.Schema;

/** The servers of a cluster, and the commands of operators. Immutable. */
public final class ClusterRecords {
    private ClusterRecords() {}

    /** A check that fails, and why. Immutable. */
    public record FailingCheck(String name, String reason) {}

    /** The state of a server, as it said last. Immutable. */
    public record Health(
            @Described("Whether it can do its work, as it said last; missing, like the next two, while it is away "
                    + "and until it says so.")
            boolean ready,

            @Described("Partitions that it opens: those that it takes over, too.")
            long opening,

            @Described("Why it is not ready.") List<FailingCheck> failing) {}

    /** A server of a cluster. Immutable. */
    public record Server(
            String server,

            @Described(words = {"serving", "delay_removed", "drained"})
            String state,

            @Described("Where clients reach it; empty while it is away.")
            String address,

            @Described("That it owns.") long partitions,
            @Inlined Optional<Health> health) {}

    /** An event of a cluster. Immutable. */
    public record Event(Instant at, String text) {}

    /** A pool of workers. Immutable. */
    public record Workers(
            String pool,
            @Described("As many as there are now.") int workers,

            @Described("Whether their number follows from what the server measures. False if the configuration has "
                    + "a number, or if they are Jetty's, whose number follows from the "
                    + "processors at the start.")
            boolean auto) {}

    /** A cluster as it is now. Immutable. */
    @Schema(closed = true)
    public record Cluster(
            @Described("The id of the server that assigns partitions; empty while there is none.")
            String leader,

            @Described("Partitions of the whole cluster that have no server, or whose server is away; not those "
                    + "that one opens.")
            long withoutServer,

            List<Server> servers,
            @Described("The last ones, oldest first.") List<Event> events,

            @Described("Of the server that answers: Jetty's threads (http), and the pools that its requests run in.")
            List<Workers> workers) {}

    /** A partition to give to a server. Immutable. */
    @Schema(closed = true)
    public record Move(String topic, @Described(min = 0) int partition, String server) {}
}
