// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.nio.ByteBuffer;

/** Supplies the requests of one connection. Confined: the loop's thread. */
public interface RequestSource {
    /** The whole next request, head and body; it stays as it is until the next call. */
    ByteBuffer next();

    /**
     * Returns whether there is another request. A connection whose source has none is closed. Most sources never end.
     */
    default boolean hasNext() {
        return true;
    }

    /**
     * Reads the answer to the last request, which has passed the loop's check.
     *
     * @param body from position to limit; indexes count from 0
     */
    default Outcome answered(ByteBuffer body) {
        return Outcome.DONE;
    }

    /** The outcomes of a request. */
    enum Outcome {
        /** The answer that was asked for: it counts, and its latency. */
        DONE,
        /** Nothing, rightly: it counts neither as succeeded nor as failed. */
        NOTHING,
        /** Not what was asked for: it counts as failed. */
        WRONG
    }
}
