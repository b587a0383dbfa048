// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.talos.server.dispatch.WorkerSelection;

/** A key's hash decides its worker, and no other runs it: the model of Talos 2.1.5. Immutable. */
final class KeyHash implements WorkerSelection {
    @Override
    public int select(Object key, int workers) {
        return Math.floorMod(mixed(key.hashCode()), workers);
    }

    /** Hash codes of a topic's partitions are consecutive: without this they would never meet, by accident. */
    private static int mixed(int hash) {
        int mixed = (hash ^ (hash >>> 16)) * 0x85ebca6b; // MurmurHash3's finaliser
        mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
        return mixed ^ (mixed >>> 16);
    }

    @Override
    public <Q> List<Q> readyQueues(int workers, Supplier<Q> create) {
        return Stream.generate(create).limit(workers).toList();
    }

    @Override
    public boolean mayRunElsewhere() {
        return false;
    }
}
