// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes parts in reverse of the order in which they were started, even if closing one of them fails.
 *
 * <p>Confined: to the thread that starts, then to the one that stops.
 */
public final class Closing implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    public <C extends AutoCloseable> C add(C part) {
        started.push(part);
        return part;
    }

    @Override
    public void close() {
        while (!started.isEmpty()) {
            AutoCloseable part = started.pop();
            try {
                part.close();
            } catch (Exception | Error e) { // parts that were started earlier are closed nevertheless
                LOG.error("part not closed cleanly part={}", part.getClass().getSimpleName(), e);
            }
        }
    }
}
