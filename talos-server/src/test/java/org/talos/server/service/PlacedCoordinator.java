// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.Location;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.cluster.single.SingleServerCoordinator;

/** Says of all partitions what a test wants it to say; topics it makes are opened here. Thread-safe. */
public final class PlacedCoordinator implements Coordinator {
    private final SingleServerCoordinator here = new SingleServerCoordinator();
    private final Map<Integer, Location> places = new ConcurrentHashMap<>();
    private volatile Location place = new Location.Here();
    private volatile int pollsConnected = Integer.MAX_VALUE;

    public PlacedCoordinator() {
        here.reachedAt("127.0.0.1:8080");
    }

    public void place(Location everywhere) {
        place = everywhere;
    }

    /** Sets the location of one partition, whatever is set for all. */
    void place(int partition, Location there) {
        places.put(partition, there);
    }

    /** Cut off once it has said so often that it is not. */
    synchronized void cutOffAfter(int polls) {
        pollsConnected = polls;
    }

    @Override
    public Location locate(String topicId, int partition) {
        return places.getOrDefault(partition, place);
    }

    @Override
    public Optional<String> address(String topicId, int partition) {
        return here.address(topicId, partition);
    }

    @Override
    public synchronized boolean isConnected() {
        return pollsConnected-- > 0;
    }

    @Override
    public void topicChanged(String topicId, int partitions) {
        here.topicChanged(topicId, partitions);
    }

    @Override
    public void rowsChanged() {
        here.rowsChanged();
    }

    @Override
    public void onRowsChanged(Runnable listener) {
        here.onRowsChanged(listener);
    }

    @Override
    public void onChange(Consumer<OwnershipChange> listener) {
        here.onChange(listener);
    }

    @Override
    public void leaving() {
        here.leaving();
    }

    @Override
    public void close() {
        here.close();
    }
}
