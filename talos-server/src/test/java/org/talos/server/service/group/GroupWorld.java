// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.talos.common.error.Effect;
import org.talos.server.auth.Principal;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.simulation.MemoryRows;
import org.talos.server.simulation.fiber.FiberMachine;
import org.talos.server.simulation.fiber.Fibers;

/**
 * The parts that the servers and members of a run share: rows, time, network, and the topic.
 *
 * <p>Confined: as {@link Fibers}.
 */
final class GroupWorld {
    static final long MILLI = 1_000_000L;
    static final long SECOND = 1_000 * MILLI;
    static final String GROUP = "shop";
    static final Principal USER =
            new Principal("u", "AKu", false, false, Set.of("u"), Principal.Memberships.NONE, null);

    private static final long EPOCH_MILLIS = 1_800_000_000_000L;

    final Random random;
    final Fibers fibers;
    final MemoryRows rows = new MemoryRows();
    final boolean fromLatest;
    final GroupModel model;
    final List<GroupServer> servers = new ArrayList<>();
    private final Set<String> failingRows = new TreeSet<>(); // names of servers
    private boolean calm;

    GroupWorld(long seed, List<String> history) {
        random = new Random(seed);
        fibers = new Fibers(random, history);
        fromLatest = random.nextBoolean();
        model = new GroupModel(this, 1 + random.nextInt(4));
    }

    TopicRecord topic() {
        return new TopicRecord(
                "orders",
                "0".repeat(32),
                "u",
                model.partitions(),
                model.partitions(),
                3_600,
                Map.of(),
                Map.of(),
                1,
                0,
                null,
                null,
                List.of());
    }

    /** Returns the right time, ms since 1970. */
    long wallMillis() {
        return EPOCH_MILLIS + fibers.nanos() / MILLI;
    }

    /** Nothing fails from here on. */
    void calm() {
        calm = true;
        failingRows.clear();
    }

    boolean isCalm() {
        return calm;
    }

    /** Returns whether something happens that has one chance in so many. */
    boolean oneIn(int chances) {
        return random.nextInt(chances) == 0;
    }

    /** Returns a random time of at most a number of milliseconds, in nanoseconds. */
    long upToMillis(int most) {
        return random.nextInt(most) * MILLI;
    }

    /** Returns whether a message between a client and a server is lost. */
    boolean losesMessage() {
        return !calm && oneIn(60);
    }

    /** Returns how long a message is under way, nanoseconds. */
    long networkNanos() {
        return upToMillis(!calm && oneIn(25) ? 9_000 : 20);
    }

    List<GroupServer> liveServers() {
        return servers.stream().filter(each -> !each.machine.isEnded()).toList();
    }

    GroupServer anyServer() {
        List<GroupServer> live = liveServers();
        return live.get(random.nextInt(live.size()));
    }

    void failRows(String server, boolean fails) {
        if (fails) {
            failingRows.add(server);
        } else {
            failingRows.remove(server);
        }
    }

    /** Returns what befalls a server's calls to the rows: each may suspend, before it and after it. */
    MemoryRows.Faults rowFaults(FiberMachine machine) {
        return new RowFaults(machine);
    }

    /** Confined: as {@link Fibers}. */
    private final class RowFaults implements MemoryRows.Faults {
        private final FiberMachine machine;

        RowFaults(FiberMachine machine) {
            this.machine = machine;
        }

        @Override
        public void before(Runnable write) throws MetadataException {
            takeTime();
            if (fails()) {
                if (oneIn(3)) {
                    fibers.after(upToMillis(4_000), fibers.outside(), write); // it arrives late
                }
                throw failed();
            }
        }

        @Override
        public void after() throws MetadataException {
            takeTime();
            if (fails()) {
                throw failed();
            }
        }

        private boolean fails() {
            return failingRows.contains(machine.name()) && oneIn(4);
        }

        private void takeTime() {
            if (!calm && oneIn(60)) {
                fibers.sleep(upToMillis(6_000));
            } else if (oneIn(2)) {
                fibers.sleep(upToMillis(20));
            }
        }

        private static MetadataException failed() {
            return new MetadataException(MetadataException.Reason.UNAVAILABLE, Effect.UNKNOWN, "made to fail");
        }
    }
}
