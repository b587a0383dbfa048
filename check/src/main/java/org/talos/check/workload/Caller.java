// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.util.List;

/**
 * A client of one kind, for one topic. What it is told is neither repeated nor believed here. Confined: one process.
 */
interface Caller {
    /** A put that can be sent again under its identity. Confined: as its caller. */
    interface Put {
        String identity();

        Answer send();
    }

    /** Its kind, for the history. */
    String means();

    /** Gives a put of these values, together, its identity; nothing is sent yet. */
    Put prepare(int partition, List<String> values);

    /** Messages from an offset on; waits a little for one. */
    Answer read(int partition, long from);
}
