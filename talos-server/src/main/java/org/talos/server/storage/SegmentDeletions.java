// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes segments of a log that the metadata no longer names, and remembers failed deletions, so that their files do
 * not stay until the log is opened again.
 *
 * <p>Thread-safe.
 */
public final class SegmentDeletions {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentDeletions.class);

    private final SegmentStore store;
    private final Set<SegmentName> failed = ConcurrentHashMap.newKeySet();

    /** Remembers nothing yet. */
    public SegmentDeletions(SegmentStore store) {
        this.store = store;
    }

    /** Deletes a segment, now or at a {@link #retry}. Blocks. */
    public void delete(SegmentName name) {
        try {
            store.delete(name);
        } catch (StorageException | RuntimeException e) {
            if (failed.add(name)) {
                LOG.warn("segment deletion failed, will retry segment={}", name, e);
            }
            return;
        }
        if (failed.remove(name)) {
            LOG.info("segment deleted after a retry segment={}", name);
        }
    }

    /** Retries each failed deletion once. Blocks. */
    public void retry() {
        failed.forEach(this::delete);
    }
}
