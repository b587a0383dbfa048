// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import java.nio.ByteBuffer;
import java.util.List;
import org.talos.bench.load.RequestSource;

/**
 * Requests of one connection that go to several partitions in turn. Confined: the loop's thread, but for {@link #sent}
 * after the run.
 */
final class InTurn implements RequestSource {
    private final List<? extends RequestSource> sources;
    private long sent;

    /** @param sources one a partition, at least one */
    InTurn(List<? extends RequestSource> sources) {
        this.sources = List.copyOf(sources);
    }

    /** How many requests it has made. */
    long sent() {
        return sent;
    }

    /** Whether each partition has had an answer. */
    boolean hasBeenEverywhere() {
        return sent > sources.size();
    }

    private RequestSource current() {
        return sources.get((int) ((sent - 1) % sources.size()));
    }

    @Override
    public ByteBuffer next() {
        sent++;
        return current().next();
    }

    @Override
    public Outcome answered(ByteBuffer body) {
        return current().answered(body);
    }
}
