// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.talos.server.cluster.ClusterClock;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.time.Ticker;

/**
 * The real comparison of a server's clock with ZooKeeper's, whose time a simulation gives.
 *
 * <p>Confined: as the executor that it compares on.
 */
public final class SimulatedClock {
    private static final Duration ALLOWED = Duration.ofSeconds(30);
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final ClusterThreads threads;
    private final ClockCheck check;

    /** ZooKeeper's time. */
    @FunctionalInterface
    public interface ZooKeeperTime {
        /** Returns the time at which a write that begins now was stored, ms since 1970. May suspend the caller. */
        long write() throws KeeperException;
    }

    /**
     * A clock that was compared with nothing yet.
     *
     * @param work one thread, whose tasks may wait for ZooKeeper
     */
    public SimulatedClock(
            String server, InstantSource own, Ticker ticker, ZooKeeperTime time, ScheduledExecutorService work) {
        threads = new ClusterThreads(work, work);
        check = new ClockCheck(
                new Nodes(new ClocksOnly(time), SimulatedCoordinator.ROOT),
                server,
                own,
                ticker,
                ALLOWED,
                new ClusterMetrics(new Metrics(() -> 0)),
                threads);
    }

    /** Compares the clocks, as each registration does. */
    public void register() {
        threads.onWork("clock", check::check);
    }

    /**
     * Compares the clocks before the thread does anything else, and then every minute, as the first registration does.
     */
    public void begin() {
        register();
        threads.onWorkEvery(INTERVAL, "clock", check::check);
    }

    /** Returns the cluster's time, as the server has it. */
    public ClusterClock clock() {
        return check;
    }

    /** Has nothing but the servers' nodes for clocks. Confined: as {@link SimulatedClock}. */
    private record ClocksOnly(ZooKeeperTime time) implements Nodes.Calls {
        @Override
        public Stat put(String path, byte[] data) throws KeeperException {
            Stat stat = new Stat();
            stat.setMtime(time.write());
            return stat;
        }

        private static UnsupportedOperationException unasked() {
            return new UnsupportedOperationException("nobody asks for it");
        }

        @Override
        public boolean exists(String path) {
            throw unasked();
        }

        @Override
        public void createWithParents(String path) {
            throw unasked();
        }

        @Override
        public Stat create(String path, byte[] data, CreateMode mode) {
            throw unasked();
        }

        @Override
        public NodeData read(String path) {
            throw unasked();
        }

        @Override
        public List<String> names(String folder) {
            throw unasked();
        }

        @Override
        public Stat write(String path, byte[] data, int version) {
            throw unasked();
        }

        @Override
        public List<Stat> writeAll(List<Nodes.Write> writes) {
            throw unasked();
        }

        @Override
        public void delete(String path, int version) {
            throw unasked();
        }
    }
}
