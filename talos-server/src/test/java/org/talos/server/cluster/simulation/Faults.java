// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.simulation.MemoryRows;
import org.talos.server.simulation.SimulatedProcess;
import org.talos.server.storage.hdfs.SimulatedDfs;

/**
 * Faults of calls of HDFS, of the rows, and between servers.
 *
 * <p>Confined: the simulation's thread.
 */
final class Faults {
    /** A create that takes long: a segment's file is made after others have given it up. */
    static final String SLOW_CREATES = "slow_creates";
    /** A server is pointed at another directory. */
    static final String TWO_ROOTS = "two_roots";
    /** A row that cannot be read keeps servers from refreshing what they know of topics. */
    static final String STALE_TOPICS = "stale_topics";
    /** Whoever hands a partition over alive is not fenced. */
    static final String HANDOVER = "handover";
    /** A move that was asked for is not forgotten. */
    static final String MOVES = "moves";

    /** Of a topic that was deleted nothing is left. */
    static final String LEFT_ROWS = "left_rows";

    /** A server that was fenced, did not notice and is given its partition again can open it. */
    static final String IDLE_FENCED = "idle_fenced";

    /** Two processes of one server's id. */
    static final String SECOND_PROCESSES = "second_processes";

    /** A put that is sent again while its partition moves is stored once. */
    static final String REPEATED_PUTS = "repeated_puts";

    private static final Set<String> PASSED_OVER =
            Set.of(System.getProperty("talos.simulation.passedOver", "none").split(","));

    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;

    private final Random random;
    private final Set<String> failingHdfs = new HashSet<>(); // by server
    private final Set<String> failingRows = new HashSet<>();
    private final Set<String> cut = new HashSet<>(); // pairs of servers
    private final Map<String, Long> frozen = new HashMap<>(); // when a server was last frozen inside a call
    private boolean calm = true;
    private boolean checking;

    Faults(Random random) {
        this.random = random;
    }

    /**
     * Returns whether a fault or promise is to be left out, as one that the code does not stand is while it is looked
     * for.
     */
    static boolean isPassedOver(String name) {
        return PASSED_OVER.contains(name);
    }

    /** Only what must be waited for happens from here on, or everything. */
    void calm(boolean now) {
        calm = now;
        if (now) {
            failingHdfs.clear();
            failingRows.clear();
            cut.clear();
        }
    }

    /** While the simulation itself reads, nothing happens. */
    void checking(boolean now) {
        checking = now;
    }

    void failHdfs(String server, boolean fails) {
        change(failingHdfs, server, fails);
    }

    void failRows(String server, boolean fails) {
        change(failingRows, server, fails);
    }

    void cut(String a, String b, boolean isCut) {
        change(cut, pair(a, b), isCut);
    }

    boolean isCut(String a, String b) {
        return cut.contains(pair(a, b));
    }

    private static String pair(String a, String b) {
        return a.compareTo(b) < 0 ? a + "-" + b : b + "-" + a;
    }

    private static void change(Set<String> of, String name, boolean is) {
        if (is) {
            of.add(name);
        } else {
            of.remove(name);
        }
    }

    /** Returns when a server was last frozen inside a call. It could not know what happened meanwhile. */
    long lastFrozen(String server) {
        return frozen.getOrDefault(server, Long.MIN_VALUE / 2);
    }

    /** Returns how long a message is under way. */
    long networkNanos() {
        if (!calm && random.nextInt(30) == 0) {
            return random.nextInt(12_000) * MILLI;
        }
        return random.nextInt(20) * MILLI;
    }

    Calls of(SimulatedServer server) {
        return new Calls(server.id, server.process);
    }

    /** One server's calls. Confined: the simulation's thread. */
    final class Calls implements SimulatedDfs.Calls, MemoryRows.Faults {
        private final String server;
        private final SimulatedProcess process;

        Calls(String server, SimulatedProcess process) {
            this.server = server;
            this.process = process;
        }

        private void takeTime(long nanos, boolean freezes) {
            if (freezes) {
                frozen.put(server, process.now() + nanos);
            }
            process.call(nanos, freezes);
        }

        @Override
        public void before(String operation, String path) throws IOException {
            if (checking) {
                return;
            }
            if (failingHdfs.contains(server) && random.nextInt(4) == 0) {
                throw new IOException("made to fail");
            }
            boolean creates = operation.equals("create") && path.endsWith(".log");
            if (calm || !(creates ? isSlowCreate() : isSlow())) {
                takeLittle(20);
            }
        }

        private void takeLittle(int mostMillis) {
            if (random.nextInt(calm ? 20 : 8) == 0) {
                takeTime(random.nextInt(mostMillis) * MILLI, false);
            }
        }

        /** A segment's file that takes so long that others may take the partition meanwhile. */
        private boolean isSlowCreate() {
            if (isPassedOver(SLOW_CREATES)) {
                return false;
            }
            boolean slow = random.nextInt(12) == 0;
            if (slow) {
                takeTime((1 + random.nextInt(40)) * SECOND, random.nextInt(4) == 0);
            }
            return slow;
        }

        private boolean isSlow() {
            boolean slow = random.nextInt(400) == 0;
            if (slow) {
                takeTime(random.nextInt(8_000) * MILLI, random.nextBoolean());
            }
            return slow;
        }

        @Override
        public void after(String operation, String path) throws IOException {
            if (!checking && failingHdfs.contains(server) && random.nextInt(4) == 0) {
                throw new IOException("the answer is lost");
            }
        }

        @Override
        public long recoveryNanos() {
            return calm ? random.nextInt(2_000) * MILLI : random.nextInt(10_000) * MILLI;
        }

        @Override
        public void before(Runnable write) throws MetadataException {
            if (checking) {
                return;
            }
            process.requireAlive();
            if (failingRows.contains(server) && random.nextInt(4) == 0) {
                if (random.nextInt(3) == 0) {
                    process.detached(random.nextInt(4_000) * MILLI, write); // it arrives late
                }
                throw failed();
            }
            if (!calm && random.nextInt(300) == 0) {
                takeTime(random.nextInt(2_000) * MILLI, random.nextBoolean());
            } else {
                takeLittle(10);
            }
        }

        @Override
        public void after() throws MetadataException {
            if (!checking && failingRows.contains(server) && random.nextInt(4) == 0) {
                throw failed();
            }
        }

        private static MetadataException failed() {
            return new MetadataException(MetadataException.Reason.UNAVAILABLE, Effect.UNKNOWN, "made to fail");
        }
    }
}
