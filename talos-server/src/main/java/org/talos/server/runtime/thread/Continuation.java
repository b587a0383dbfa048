// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import java.util.concurrent.Executor;

/** Runs the remaining work of requests, soon, on threads that must not block. Thread-safe. */
public interface Continuation extends Executor {
    /**
     * Runs a task of which there may be very many: only a few at a time, behind all other tasks and behind new
     * requests.
     */
    default void executeLast(Runnable task) {
        execute(task);
    }
}
