// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.concurrent.TimeUnit;
import org.talos.server.config.ServiceConfig;

/**
 * The deadline of a request. A client's timeout is an instant of the client's clock. So its distance from the date that
 * the client sent counts, from the arrival of the request.
 *
 * <p>Immutable.
 */
public final class Deadlines {
    private final ServiceConfig config;

    public Deadlines(ServiceConfig config) {
        this.config = config;
    }

    /** Returns the time for a request that names no deadline. */
    public long byDefault(long arrivedNanos) {
        return arrivedNanos + config.defaultDeadline().toNanos();
    }

    /** Returns the deadline of a call: by the client's timeout, if it has named one. */
    public long of(CallContext context, boolean named, long timeoutTimestamp) {
        if (!named || context.client().dateMillis().isEmpty()) {
            return context.deadlineNanos();
        }
        // The date has whole seconds: up to one second had passed when it was sent.
        long left = timeoutTimestamp - context.client().dateMillis().getAsLong();
        long bounded = Math.max(0, Math.min(left, config.maxDeadline().toMillis()));
        return context.arrivedNanos() + TimeUnit.MILLISECONDS.toNanos(bounded);
    }
}
