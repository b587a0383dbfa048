// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.time.Duration;

/**
 * The timeouts of a call and of one attempt of it. Immutable.
 *
 * @param all timeout of the call
 * @param attempt timeout of an attempt: a third, so that a write without an answer can be checked and written again
 */
record CallTimes(Duration all, Duration attempt) {
    private static final int ATTEMPTS = 3;

    CallTimes(Duration all) {
        this(all, all.dividedBy(ATTEMPTS));
    }
}
