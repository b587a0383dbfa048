// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.single;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.Location;
import org.talos.server.cluster.OwnershipChange;

/**
 * Owns every partition there is or will be.
 *
 * <p>Thread-safe.
 */
public final class SingleServerCoordinator implements Coordinator {
    private static final Location HERE = new Location.Here();

    @GuardedBy("this")
    private final Map<String, Integer> told = new HashMap<>();

    @GuardedBy("this")
    private Consumer<OwnershipChange> listener = change -> {};

    private volatile Optional<String> address = Optional.empty();

    /** Alone, and not reached by anybody until {@link #reachedAt} says where. */
    public SingleServerCoordinator() {}

    /** From now on clients are told to come to {@code advertisedAddress}, {@code host:port}. */
    public void reachedAt(String advertisedAddress) {
        int colon = advertisedAddress.lastIndexOf(':');
        if (colon < 1 || !advertisedAddress.substring(colon + 1).matches("[0-9]{1,5}")) {
            throw new IllegalArgumentException(
                    "advertisedAddress: " + advertisedAddress + " (expected: host:port as clients reach it)");
        }
        address = Optional.of(advertisedAddress);
    }

    @Override
    public Location place(String topicId, int partition) {
        return HERE;
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    /** Partitions that come are told of at once. Those that go are this server's to delete: nobody else has them. */
    @Override
    public synchronized void topicChanged(String topicId, int partitions) {
        int known = told.getOrDefault(topicId, 0);
        if (partitions == 0) {
            told.remove(topicId);
        } else if (partitions > known) {
            told.put(topicId, partitions);
            for (int partition = known; partition < partitions; partition++) {
                listener.accept(new OwnershipChange(topicId, partition, true, false));
            }
        }
    }

    @Override
    public void rowsChanged() {
        // Nobody else keeps rows.
    }

    @Override
    public void onRowsChanged(Runnable listener) {
        Objects.requireNonNull(listener, "listener");
    }

    @Override
    public Optional<String> address(String topicId, int partition) {
        return address;
    }

    @Override
    public synchronized void onChange(Consumer<OwnershipChange> changed) {
        listener = changed;
    }

    @Override
    public void close() {}
}
