// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.index;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Optional;
import org.talos.server.storage.SegmentName;

/**
 * One bound for the indexes of sealed segments in memory, over all logs, so that the memory does not grow with the
 * retained messages. Other indexes are read from their files.
 *
 * <p>Thread-safe.
 */
public final class SegmentIndexes {
    private final Cache<SegmentName, SparseIndex> indexes;

    /** Room for indexes of this number of bytes. */
    public SegmentIndexes(long limitBytes) {
        indexes = Caffeine.newBuilder()
                .maximumWeight(limitBytes)
                .weigher((SegmentName name, SparseIndex index) -> index.weight())
                .executor(Runnable::run) // no thread of the JVM's common pool
                .build();
    }

    /** Returns a segment's index, if it is in memory. */
    public Optional<SparseIndex> find(SegmentName name) {
        return Optional.ofNullable(indexes.getIfPresent(name));
    }

    /** Takes an index that does not change any more. */
    public void keep(SegmentName name, SparseIndex index) {
        indexes.put(name, index);
    }

    /** Forgets an index that is never needed again. */
    public void forget(SegmentName name) {
        indexes.invalidate(name);
    }

    /** Returns the bytes held now. */
    public long used() {
        indexes.cleanUp();
        return indexes.policy().eviction().orElseThrow().weightedSize().orElse(0);
    }
}
