// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.time.Duration;

/** Where a partition is served. Immutable. */
public sealed interface Location {
    /** By this server. Immutable. */
    record Here() implements Location {}

    /** By another one. Immutable. */
    record There(ClusterMember server) implements Location {}

    /**
     * By nobody now: its server is away, and may come back, or none has been found yet. Immutable.
     *
     * @param retryAfter when it is worth asking again
     */
    record Nowhere(Duration retryAfter) implements Location {}
}
