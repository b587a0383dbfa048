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
     * By no server now: its server is away, or none has been assigned yet. Immutable.
     *
     * @param retryAfter when a retry is worthwhile
     */
    record Nowhere(Duration retryAfter) implements Location {}
}
