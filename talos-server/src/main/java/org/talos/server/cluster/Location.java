// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.time.Duration;

/** Where a partition is served. Immutable. */
public sealed interface Location {
    /** A partition that is served by this server. Immutable. */
    record Here() implements Location {}

    /** A partition that is served by another server. Immutable. */
    record There(ClusterMember server) implements Location {}

    /**
     * By no server now: its server is away, or none has been assigned yet. Immutable.
     *
     * @param retryAfter when a retry is worthwhile
     */
    record Nowhere(Duration retryAfter) implements Location {}
}
