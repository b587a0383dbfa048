// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.util.List;

/** A client of one kind, for one topic. It neither retries a request nor judges an answer. Confined: one process. */
interface Caller extends AutoCloseable {
    /** A put that can be repeated under its identity. Confined: as its caller. */
    interface Put {
        String identity();

        Answer send();
    }

    /** The kind of this client, for the history. */
    String means();

    /** Creates a put of these values, together, with an identity; sends nothing yet. */
    Put prepare(int partition, List<String> values);

    /** Reads messages from an offset on; waits a little for the first. */
    Answer read(int partition, long from);

    /** Lets go of what it has open. Nothing is asked of it any more. */
    @Override
    default void close() {}
}
