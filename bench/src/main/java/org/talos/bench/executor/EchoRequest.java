// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.time.Duration;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.Task;

/** A request whose handler blocks for its delay and sends it back. Confined: the thread that runs it. */
final class EchoRequest implements Task<String>, Runnable {
    private static final long LONGEST_WAIT_NANOS = Duration.ofMinutes(1).toNanos();

    private final EchoConnection connection;
    private final String key;
    private final byte[] frame;
    private final long delayNanos;
    private final ServerTally tally;
    private final long deadlineNanos = System.nanoTime() + LONGEST_WAIT_NANOS;

    EchoRequest(EchoConnection connection, String key, byte[] frame, long delayNanos, ServerTally tally) {
        this.connection = connection;
        this.key = key;
        this.frame = frame;
        this.delayNanos = delayNanos;
        this.tally = tally;
    }

    @Override
    public void run() {
        tally.blocked(delayNanos, Blocker.block(delayNanos));
        connection.answer(frame);
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public Priority priority() {
        return Priority.NORMAL;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /** Sends no answer, so that the client reports the request as missing. */
    @Override
    public void expired() {}

    /** Like an expired one. */
    @Override
    public void stopped() {}

    /** Like an expired one. */
    @Override
    public void failed(Throwable cause) {}
}
