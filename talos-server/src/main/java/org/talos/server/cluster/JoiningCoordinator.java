// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stands for a coordinator that can't be made before the server's ports are known. Until it is there nothing is served.
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

    /** Not joined. */
    public JoiningCoordinator() {}

    /** The real one, which listeners now hear. It is closed with this one. */
    public void join(Coordinator real) {
        synchronized (lock) {
            joined = real;
            real.onRowsChanged(onRowsChanged);
            real.onChange(onChange);
        }
    }

    @Override
    public Location place(String topicId, int partition) {
        Coordinator real = joined;
        return real == null ? NOT_YET : real.place(topicId, partition);
    }

    @Override
    public Optional<String> address(String topicId, int partition) {
        Coordinator real = joined;
        return real == null ? Optional.empty() : real.address(topicId, partition);
    }

    @Override
    public boolean isConnected() {
        Coordinator real = joined;
        return real != null && real.isConnected();
    }

    @Override
    public boolean hasHeardSince(long nanos) {
        Coordinator real = joined;
        return real != null && real.hasHeardSince(nanos);
    }

    @Override
    public long clockAheadMillis() {
        Coordinator real = joined;
        return real == null ? 0 : real.clockAheadMillis();
    }

    /** Nobody has looked before it has joined. */
    @Override
    public boolean isClockRight() {
        Coordinator real = joined;
        return real != null && real.isClockRight();
    }

    /** Before it has joined, the leader finds the topic in the metadata. */
    @Override
    public void topicChanged(String topicId, int partitions) {
        Coordinator real = joined;
        if (real != null) {
            real.topicChanged(topicId, partitions);
        }
    }

    /** Before it has joined, others see the rows when they next read them anyway. */
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
