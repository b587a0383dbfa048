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
 * The coordinator of a server that stands alone and owns every partition.
 *
 * <p>Thread-safe.
 */
public final class SingleServerCoordinator implements Coordinator {
    private static final Location HERE = new Location.Here();

    @GuardedBy("this")
    private final Map<String, Integer> announced = new HashMap<>();

    @GuardedBy("this")
    private Consumer<OwnershipChange> listener = change -> {};

    private volatile Optional<String> address = Optional.empty();

    /** A coordinator without an address until {@link #reachedAt}. */
    public SingleServerCoordinator() {}

    /** Sets the address that clients are given, {@code host:port}. */
    public void reachedAt(String advertisedAddress) {
        int colon = advertisedAddress.lastIndexOf(':');
        if (colon < 1 || !advertisedAddress.substring(colon + 1).matches("[0-9]{1,5}")) {
            throw new IllegalArgumentException(
                    "advertisedAddress: " + advertisedAddress + " (expected: host:port as clients reach it)");
        }
        address = Optional.of(advertisedAddress);
    }

    @Override
    public Location locate(String topicId, int partition) {
        return HERE;
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    /** Notifies the listener of new partitions. A deleted topic needs no notice: no other server can own it. */
    @Override
    public synchronized void topicChanged(String topicId, int partitions) {
        int known = announced.getOrDefault(topicId, 0);
        if (partitions == 0) {
            announced.remove(topicId);
        } else if (partitions > known) {
            announced.put(topicId, partitions);
            for (int partition = known; partition < partitions; partition++) {
                listener.accept(new OwnershipChange(topicId, partition, true));
            }
        }
    }

    @Override
    public void rowsChanged() {
        // No other server caches rows.
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
