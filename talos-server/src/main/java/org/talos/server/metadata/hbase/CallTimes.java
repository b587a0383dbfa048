// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.time.Duration;

/**
 * How long a call may take, and one attempt of it. Immutable.
 *
 * @param all by then the call has ended
 * @param attempt a third of it, so that a write whose answer does not come can be looked up, and written again
 */
record CallTimes(Duration all, Duration attempt) {
    private static final int ATTEMPTS = 3;

    CallTimes(Duration all) {
        this(all, all.dividedBy(ATTEMPTS));
    }
}
