// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Delegates to a coordinator that cannot be made before the server's ports are known. Until then nothing is served.
 *
 * <p>Thread-safe.
 */
public final class JoiningCoordinator implements Coordinator {
    private static final Location NOT_YET = new Location.Nowhere(Duration.ofSeconds(1));

    private final Object lock = new Object();
    private volatile @Nullable Coordinator joined;

    @GuardedBy("lock")
    private Consumer<OwnershipChange> onChange = change -> {};

    @GuardedBy("lock")
    private Runnable onRowsChanged = () -> {};

    @GuardedBy("lock")
    private Runnable onDrained = () -> {};

    @GuardedBy("lock")
    private @Nullable HandoverListener onHandovers;

    /** A coordinator without a delegate: see {@link #join}. */
    public JoiningCoordinator() {}

    /** Sets the delegate, registers the listeners with it, and closes it with this one. */
    public void join(Coordinator real) {
        synchronized (lock) {
            joined = real;
            real.onRowsChanged(onRowsChanged);
            real.onDrained(onDrained);
            if (onHandovers != null) {
                real.onHandovers(onHandovers);
            }
            real.onChange(onChange);
        }
    }

    @Override
    public Location locate(String topicId, int partition) {
        Coordinator real = joined;
        return real == null ? NOT_YET : real.locate(topicId, partition);
    }

    @Override
    public Optional<String> address(String topicId, int partition) {
        Coordinator real = joined;
        return real == null ? Optional.empty() : real.address(topicId, partition);
    }

    @Override
    public List<ClusterMember> others() {
        Coordinator real = joined;
        return real == null ? List.of() : real.others();
    }

    @Override
    public boolean isConnected() {
        Coordinator real = joined;
        return real != null && real.isConnected();
    }

    @Override
    public boolean isInTouch() {
        Coordinator real = joined;
        return real != null && real.isInTouch();
    }

    @Override
    public boolean isAlive(String process) {
        Coordinator real = joined;
        return real != null && real.isAlive(process);
    }

    @Override
    public void released(String topicId, int partition) {
        Coordinator real = joined;
        if (real != null) {
            real.released(topicId, partition);
        }
    }

    @Override
    public void onHandovers(HandoverListener listener) {
        synchronized (lock) {
            onHandovers = listener;
            Coordinator real = joined;
            if (real != null) {
                real.onHandovers(listener);
            }
        }
    }

    @Override
    public boolean hasHeardSince(long nanos) {
        Coordinator real = joined;
        return real != null && real.hasHeardSince(nanos);
    }

    /** This server's clock before joining. */
    @Override
    public ClusterClock clusterClock(InstantSource own) {
        return new ClusterClock() {
            @Override
            public Instant instant() {
                Coordinator real = joined;
                return real == null ? own.instant() : real.clusterClock(own).instant();
            }

            @Override
            public boolean isSure() {
                Coordinator real = joined;
                return real != null && real.clusterClock(own).isSure();
            }

            @Override
            public boolean isCompared() {
                Coordinator real = joined;
                return real != null && real.clusterClock(own).isCompared();
            }

            @Override
            public long suspensions() {
                Coordinator real = joined;
                return real == null ? 0 : real.clusterClock(own).suspensions();
            }
        };
    }

    /** False before joining: the clocks have not been compared. */
    @Override
    public boolean isClockRight() {
        Coordinator real = joined;
        return real != null && real.isClockRight();
    }

    /** Does nothing before joining: the leader finds the topic in the metadata. */
    @Override
    public void topicChanged(String topicId, int partitions) {
        Coordinator real = joined;
        if (real != null) {
            real.topicChanged(topicId, partitions);
        }
    }

    /** Does nothing before joining: others read the rows at their next refresh. */
    @Override
    public void rowsChanged() {
        Coordinator real = joined;
        if (real != null) {
            real.rowsChanged();
        }
    }

    @Override
    public void onRowsChanged(Runnable listener) {
        synchronized (lock) {
            onRowsChanged = listener;
            Coordinator real = joined;
            if (real != null) {
                real.onRowsChanged(listener);
            }
        }
    }

    @Override
    public void onDrained(Runnable listener) {
        synchronized (lock) {
            onDrained = listener;
            Coordinator real = joined;
            if (real != null) {
                real.onDrained(listener);
            }
        }
    }

    @Override
    public void onChange(Consumer<OwnershipChange> listener) {
        synchronized (lock) {
            onChange = listener;
            Coordinator real = joined;
            if (real != null) {
                real.onChange(listener);
            }
        }
    }

    @Override
    public void leaving() {
        Coordinator real = joined;
        if (real != null) {
            real.leaving();
        }
    }

    @Override
    public void close() {
        Coordinator real = joined;
        if (real != null) {
            real.close();
        }
    }
}
