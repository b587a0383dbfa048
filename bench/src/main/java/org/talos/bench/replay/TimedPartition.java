// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongConsumer;
import org.talos.bench.load.Polls;
import org.talos.bench.load.RequestSource;

/**
 * The puts into one partition and the gets at its end, and how long each message takes from the one to the other. The
 * latency of such a get says little: it waits for the next put, so it is as long as puts are apart.
 *
 * <p>Thread-safe: puts and gets belong to two loops.
 */
final class TimedPartition {
    private final RequestSource puts;
    private final Polls polls;
    private final LongConsumer took;
    private final Queue<Long> onTheirWay = new ConcurrentLinkedQueue<>(); // when each message was put

    /**
     * An empty partition.
     *
     * @param puts of one message each, one after the other
     * @param took is given the nanoseconds of each message, on the thread of the gets
     */
    TimedPartition(RequestSource puts, Polls polls, LongConsumer took) {
        this.puts = puts;
        this.polls = polls;
        this.took = took;
    }

    RequestSource puts() {
        return new RequestSource() {
            @Override
            public ByteBuffer next() {
                onTheirWay.add(System.nanoTime());
                return puts.next();
            }

            @Override
            public Outcome answered(ByteBuffer body) {
                return puts.answered(body);
            }
        };
    }

    RequestSource gets() {
        return new RequestSource() {
            @Override
            public ByteBuffer next() {
                return polls.next();
            }

            @Override
            public Outcome answered(ByteBuffer body) {
                long before = polls.received();
                Outcome outcome = polls.answered(body);
                return arrived(polls.received() - before) ? outcome : Outcome.WRONG;
            }
        };
    }

    /** Messages that were got: all up to here. */
    long received() {
        return polls.received();
    }

    private boolean arrived(long messages) {
        long now = System.nanoTime();
        for (long each = 0; each < messages; each++) {
            Long put = onTheirWay.poll();
            if (put == null) {
                return false; // more than were put
            }
            took.accept(now - put);
        }
        return true;
    }
}
