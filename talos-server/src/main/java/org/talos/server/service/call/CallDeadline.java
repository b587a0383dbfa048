// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import org.talos.common.error.TalosException;
import org.talos.server.runtime.time.Ticker;
import org.talos.thrift.ErrorCode;

/**
 * The instant by which a call must be answered. Calls that read one row after another check it between two rows.
 *
 * <p>Immutable.
 *
 * @param ticker the clock of the instant
 * @param nanos the instant, by the ticker
 */
public record CallDeadline(Ticker ticker, long nanos) {
    /** A deadline that never passes. */
    public static final CallDeadline NONE = new CallDeadline(() -> 0, Long.MAX_VALUE);

    /**
     * Refuses to continue after the deadline.
     *
     * @param work description of the step for the error, such as "the offsets were read"
     * @throws TalosException REQUEST_PROCESS_TIMEOUT, effect NONE
     */
    public void require(String work) {
        if (nanos - ticker.nanos() <= 0) {
            throw TalosException.refused(ErrorCode.REQUEST_PROCESS_TIMEOUT, "the deadline passed while " + work);
        }
    }
}
