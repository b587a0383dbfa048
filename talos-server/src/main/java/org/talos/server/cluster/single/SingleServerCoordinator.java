// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.single;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.cluster.Place;

/**
 * Owns every partition there is or will be, so it has no change to tell of: partitions are opened when they are first
 * asked for.
 *
 * <p>Thread-safe.
 */
public final class SingleServerCoordinator implements Coordinator {
    private static final Place HERE = new Place.Here();

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
    public Place place(String topicId, int partition) {
        return HERE;
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public void topicChanged(String topicId, int partitions) {
        // What is owned is opened when it is asked for.
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
    public void onChange(Consumer<OwnershipChange> listener) {
        Objects.requireNonNull(listener, "listener");
    }

    @Override
    public void close() {}
}
