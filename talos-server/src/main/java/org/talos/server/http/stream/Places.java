// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import org.talos.common.error.TalosException;

/** The partitions of a stream's topic, as they are now. Thread-safe; never blocks. */
interface Places {
    /** Returns the number of places. */
    int count();

    /**
     * Checks that there is such a one.
     *
     * @throws TalosException PARTITION_NOT_EXIST, TOPIC_NOT_EXIST
     */
    void require(int partition);

    /**
     * Returns where a key belongs.
     *
     * @throws TalosException TOPIC_NOT_EXIST, PERMISSION_DENIED_ERROR
     * @throws IllegalArgumentException the topic's keys are placed in another way than is known here, or not this one
     */
    int ofKey(String key);

    /** Returns whether this server serves it: then puts that are under way at once are stored in their order. */
    boolean isHere(int partition);
}
