// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import org.talos.cli.CommandException;
import org.talos.cli.Progress;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/**
 * Waits until a server that is drained has no partitions any more.
 *
 * <p>Confined: the main thread.
 */
final class DrainWait {
    private static final Ticker CLOCK = SystemTime.ticker();
    private static final int PAUSE_MILLIS = 250;

    private final ClusterCalls calls;
    private final String server;
    private final Duration within;
    private final Progress progress;

    /** The wish to drain it has been kept. */
    DrainWait(ClusterCalls calls, String server, Duration within, Progress progress) {
        this.calls = calls;
        this.server = server;
        this.within = within;
        this.progress = progress;
    }

    /**
     * Returns when it has none.
     *
     * @throws CommandException it still has partitions; the drain continues without the command
     */
    void run() throws IOException, CommandException, InterruptedException {
        long until = CLOCK.nanos() + within.toNanos();
        long most = left();
        for (long left = most; left > 0; left = left()) {
            if (CLOCK.nanos() - until > 0) {
                throw CommandException.done(
                        server + " has " + left + " partitions after " + within.toSeconds()
                                + " s; the leader continues, and bin/talos cluster status shows it",
                        new IOException("not drained"));
            }
            most = Math.max(most, left); // one may have been moving there
            progress.at(most - left, most);
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private long left() throws IOException, CommandException, InterruptedException {
        for (JsonNode each : calls.status().get("servers")) {
            if (each.get("server").textValue().equals(server)) {
                return each.get("partitions").longValue();
            }
        }
        return 0; // the server has stopped, and others have its partitions
    }
}
