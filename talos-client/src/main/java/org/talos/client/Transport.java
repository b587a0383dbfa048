// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

/**
 * The way in which a client's puts and gets reach the servers: each by its own call, or many over one stream.
 * Administration, groups, and lookups always use calls. Immutable.
 *
 * @param streams whether streams are used if a server offers them; otherwise calls are used
 * @param window bytes that either side of a stream may send before the other grants more; 64 KiB to 64 MiB
 */
public record Transport(boolean streams, int window) {
    private static final int USUAL_WINDOW = 2 << 20;
    private static final int SMALLEST_WINDOW = 64 << 10;
    private static final int LARGEST_WINDOW = 64 << 20;

    /** A call for each put and get. */
    public static final Transport CALLS = new Transport(false, USUAL_WINDOW);
    /** Streams with a window of 2 MiB. */
    public static final Transport STREAM = new Transport(true, USUAL_WINDOW);

    /** Refuses a window out of range. */
    public Transport {
        if (window < SMALLEST_WINDOW || window > LARGEST_WINDOW) {
            throw new IllegalArgumentException(
                    "window: " + window + " (expected: " + SMALLEST_WINDOW + ".." + LARGEST_WINDOW + ")");
        }
    }

    /** Returns the same with another window. */
    public Transport withWindow(int bytes) {
        return new Transport(streams, bytes);
    }
}
