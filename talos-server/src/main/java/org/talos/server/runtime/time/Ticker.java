// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.time;

/** A monotonic clock, for durations and deadlines. Thread-safe. */
@FunctionalInterface
public interface Ticker {
    /** Nanoseconds since an arbitrary instant; only differences mean something. */
    long nanos();
}
