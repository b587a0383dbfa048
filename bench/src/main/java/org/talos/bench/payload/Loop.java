// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.talos.bench.load.AnswerCheck;
import org.talos.bench.load.ClosedLoop;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.RequestSource;
import org.talos.bench.load.Window;

/** Runs the closed loop with the times of a sweep. Immutable. */
record Loop(Duration warmUp, Duration measured) {
    private static final int LEAST = 2; // of each client

    /** Whole seconds of both. */
    long seconds() {
        return warmUp.plus(measured).toSeconds();
    }

    LoadResult run(InetSocketAddress server, List<? extends RequestSource> sources, AnswerCheck check)
            throws IOException {
        return ClosedLoop.run(server, sources, check, warmUp, measured, LEAST * sources.size(), Window.NOBODY);
    }
}
