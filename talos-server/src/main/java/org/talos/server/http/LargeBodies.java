// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.talos.server.runtime.thread.FairThreads;

/**
 * Continues with the requests whose bodies or answers are large, or may be once they are decompressed, on threads of
 * its own: their digests, decoding and writing take milliseconds, for which all other connections of a selector would
 * wait. Users take turns. There is one thread more than there are processors, and one user's tasks leave it to others.
 *
 * <p>Thread-safe.
 */
final class LargeBodies extends AbstractLifeCycle {
    /** More is large: a selector is done with so much in a fraction of a millisecond. */
    static final int BYTES = 128 << 10;

    private final FairThreads threads =
            new FairThreads("http-large", Runtime.getRuntime().availableProcessors());

    /** Runs a task when its user's turn has come; once this has stopped or no thread is left, on the caller's. */
    void execute(String user, Runnable task) {
        threads.execute(user, task);
    }

    @Override
    protected void doStop() {
        threads.close(); // what waits is run
    }
}
