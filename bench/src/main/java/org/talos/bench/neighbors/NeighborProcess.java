// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.talos.bench.engine.LoadJvm;

/**
 * The process of a neighbor: loads the server until it is ended, and counts what the server has done: messages stored,
 * or connections taken.
 *
 * <p>Confined: the main thread; what its threads share is thread-safe.
 */
public final class NeighborProcess {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1); // after a connection that ended

    private NeighborProcess() {}

    /** Loads the server until standard input ends. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        LoadJvm.serve(NeighborTarget.class, NeighborProcess::begin);
    }

    private static LoadJvm.Load begin(NeighborTarget target) {
        LongAdder done = new LongAdder();
        for (int i = 0; i < target.kind().threads(); i++) {
            NeighborLoad load = target.kind().load(target, i);
            Thread thread = new Thread(() -> runAgainAndAgain(load, done), "neighbor-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        return done::sum;
    }

    private static void runAgainAndAgain(NeighborLoad load, LongAdder done) {
        while (true) {
            try {
                load.run(done);
            } catch (IOException e) {
                LockSupport.parkNanos(PAUSE_NANOS); // the server has ended the connection, or takes none
            }
        }
    }
}
