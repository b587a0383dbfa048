// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.List;
import java.util.Optional;

/**
 * Makes known to readers what they may read, in order. Called under the appender's lock, but for {@link #wake} and
 * {@link #find}.
 *
 * <p>Thread-safe.
 */
interface Published {
    void segmentAdded(LogSegment segment);

    void durable(List<StoredBlock> blocks, long durableEnd);

    /** Wakes readers that wait: there is more to read. */
    void wake();

    /** The first append has failed: none succeeds until the log is opened again. */
    void failed();

    /** Finds an earlier block's bytes, to compare; empty if that is not possible. May block: not under the lock. */
    Optional<StoredBlock> find(long baseOffset);

    /** As {@link #find}, of what is in memory. Does not block. */
    Optional<StoredBlock> findInMemory(long baseOffset);
}
