// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says whether the server can do its work now, by checks that are run in the background. Answers come from memory, at
 * once.
 *
 * <p>Thread-safe.
 */
public final class Readiness {
    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);

    private final Map<String, Callable<Optional<String>>> checks = new ConcurrentSkipListMap<>();
    private volatile boolean stopping;
    private volatile Map<String, String> reasons = Map.of("server", "it has not been started");

    /** Adds a check, which returns why it fails, or nothing. It may block. */
    public void watch(String name, Callable<Optional<String>> check) {
        checks.put(name, check);
    }

    /** Runs every check. For one caller at a time. */
    public void check() {
        if (stopping) {
            return;
        }
        Map<String, String> found = new LinkedHashMap<>();
        checks.forEach((name, check) -> result(check).ifPresent(reason -> found.put(name, reason)));
        if (!found.keySet().equals(reasons.keySet())) {
            LOG.info("readiness changed ready={} reasons={}", found.isEmpty(), found);
        }
        reasons = Map.copyOf(found);
    }

    private static Optional<String> result(Callable<Optional<String>> check) {
        try {
            return check.call();
        } catch (Exception e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** Makes the server not ready for good: it is stopping. */
    public void stop() {
        stopping = true;
        reasons = Map.of("server", "it is stopping");
    }

    /** Why it is not ready, by check; empty if it is. */
    public Map<String, String> reasons() {
        return reasons;
    }
}
