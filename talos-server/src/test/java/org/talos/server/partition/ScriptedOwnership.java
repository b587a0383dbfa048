// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.talos.server.storage.LogId;

/** A cluster as a test describes it. Thread-safe. */
final class ScriptedOwnership implements Ownership {
    final Set<String> alive = ConcurrentHashMap.newKeySet();
    final List<LogId> released = Collections.synchronizedList(new ArrayList<>());
    volatile boolean ours = true;
    volatile long since;
    volatile Runnable whenAsked = () -> {};

    @Override
    public boolean isOurs(LogId id) {
        whenAsked.run();
        return ours;
    }

    @Override
    public boolean isOurs(LogId id, long sinceNanos) {
        since = sinceNanos;
        return ours;
    }

    @Override
    public boolean isAlive(String process) {
        return alive.contains(process);
    }

    @Override
    public Duration patience() {
        return Duration.ofSeconds(60);
    }

    @Override
    public void released(LogId id) {
        released.add(id);
    }
}
