// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.concurrent.atomic.AtomicLong;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.runtime.MemoryBudget;

/**
 * What one request holds of the memory that all requests share. Everything that a client can make large is asked for
 * here before it is allocated, and given back at once when the request ends.
 *
 * <p>Thread-safe.
 */
public final class RequestMemory implements AutoCloseable {
    private final MemoryBudget budget;
    private final AtomicLong held = new AtomicLong();

    RequestMemory(MemoryBudget budget) {
        this.budget = budget;
    }

    /** For a part of the work that ends before the request does. */
    public RequestMemory part() {
        return new RequestMemory(budget);
    }

    /** Takes in what has been taken out of the budget already. */
    void take(long bytes) {
        held.addAndGet(bytes);
    }

    boolean tryReserve(long bytes) {
        if (!budget.tryReserve(bytes)) {
            return false;
        }
        held.addAndGet(bytes);
        return true;
    }

    /**
     * The same.
     *
     * @throws ProblemException 503
     */
    public void reserve(long bytes) {
        if (!tryReserve(bytes)) {
            throw ProblemException.refused(503, "no-memory", "the server has no memory for this now");
        }
    }

    /** Gives a part back. */
    public void release(long bytes) {
        held.addAndGet(-bytes);
        budget.release(bytes);
    }

    /** Gives everything back; may be called again. */
    @Override
    public void close() {
        long bytes = held.getAndSet(0);
        if (bytes > 0) {
            budget.release(bytes);
        }
    }
}
