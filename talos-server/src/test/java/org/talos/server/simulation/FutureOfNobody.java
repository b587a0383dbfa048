// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

import java.util.concurrent.CancellationException;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A timer's handle that nobody uses. Immutable. */
public final class FutureOfNobody implements ScheduledFuture<Object> {
    @Override
    public long getDelay(TimeUnit unit) {
        return 0;
    }

    @Override
    public int compareTo(Delayed other) {
        return 0;
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        return false;
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public boolean isDone() {
        return false;
    }

    @Override
    public Object get() {
        throw new CancellationException("nobody asks for it");
    }

    @Override
    public Object get(long timeout, TimeUnit unit) {
        throw new CancellationException("nobody asks for it");
    }
}
